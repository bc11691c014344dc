"""Builders of small files of every format."""

import io
import zlib
from pathlib import Path

import docx
import pytest

from ascertain.core.documents import RegionKind
from ascertain.sources.files import ReadOptions, read

_FONTS = {"plain": "Helvetica", "bold": "Helvetica-Bold", "mono": "Courier"}


def _escaped(text):
    return text.replace("\\", r"\\").replace("(", r"\(").replace(")", r"\)")


def _content(lines):
    """Text operators for (x, y, size, font, text) tuples."""
    names = list(_FONTS)
    return "\n".join(
        f"BT /F{names.index(font)} {size} Tf {x} {y} Td ({_escaped(text)}) Tj ET"
        for x, y, size, font, text in lines
    )


def _pdf(pages, title=None, encrypted=False, compressed=False):
    count = len(pages)
    kids = " ".join(f"{3 + 2 * n} 0 R" for n in range(count))
    first_font = 3 + 2 * count
    fonts = " ".join(f"/F{n} {first_font + n} 0 R" for n in range(len(_FONTS)))
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {count} >>".encode(),
    ]
    for number, lines in enumerate(pages):
        stream = _content(lines).encode("cp1252")
        packing = ""
        if compressed:
            stream, packing = zlib.compress(stream), " /Filter /FlateDecode"
        objects.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents {4 + 2 * number} 0 R "
            f"/Resources << /Font << {fonts} >> >> >>".encode()
        )
        objects.append(f"<< /Length {len(stream)}{packing} >>\nstream\n".encode() + stream + b"\nendstream")
    objects += [
        f"<< /Type /Font /Subtype /Type1 /BaseFont /{name} /Encoding /WinAnsiEncoding >>".encode()
        for name in _FONTS.values()
    ]
    trailer = f"/Size {len(objects) + 3} /Root 1 0 R"
    if title:
        objects.append(f"<< /Title ({_escaped(title)}) /CreationDate (D:20240102030405Z) >>".encode())
        trailer += f" /Info {len(objects)} 0 R"
    if encrypted:
        secret = "<" + "ab" * 32 + ">"
        objects.append(f"<< /Filter /Standard /V 1 /R 2 /O {secret} /U {secret} /P -4 >>".encode())
        trailer += f" /Encrypt {len(objects)} 0 R /ID [<00> <00>]"
    out = io.BytesIO()
    out.write(b"%PDF-1.4\n")
    offsets = []
    for number, body in enumerate(objects, 1):
        offsets.append(out.tell())
        out.write(f"{number} 0 obj\n".encode() + body + b"\nendobj\n")
    start = out.tell()
    out.write(f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n".encode())
    out.writelines(f"{offset:010d} 00000 n \n".encode() for offset in offsets)
    out.write(f"trailer << {trailer} >>\nstartxref\n{start}\n%%EOF\n".encode())
    return out.getvalue()


@pytest.fixture
def a_pdf():
    """Bytes of a PDF from pages of (x, y, size, font, text)."""
    return _pdf


@pytest.fixture
def a_docx():
    """Bytes of a Word document: headings as (level, text), tables as lists of rows, text as strings."""

    def build(*blocks, title="", author=""):
        document = docx.Document()
        document.core_properties.title = title
        document.core_properties.author = author
        for block in blocks:
            if isinstance(block, tuple):
                document.add_heading(block[1], block[0])
            elif isinstance(block, list):
                table = document.add_table(len(block), len(block[0]))
                for row, cells in enumerate(block):
                    for column, cell in enumerate(cells):
                        table.cell(row, column).text = cell
            else:
                document.add_paragraph(block)
        out = io.BytesIO()
        document.save(out)
        return out.getvalue()

    return build


@pytest.fixture
def write(tmp_path):
    """Write a file of the test's folder and give its path."""

    def put(name: str, content: str | bytes) -> Path:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return put


@pytest.fixture
def read_one(write):
    """The only document in a file of the given name and content."""

    def one(name, content, **options):
        documents = list(read(write(name, content), ReadOptions(**options)))
        assert len(documents) == 1
        check_document(documents[0])
        return documents[0]

    return one


@pytest.fixture
def check():
    """Asserts what holds for every document of every format."""
    return check_document


def check_document(document):
    text = document.text
    assert text.strip()
    assert text == text.rstrip().lstrip("\n")
    text.encode("utf-8")
    assert not any(ord(character) < 32 and character not in "\n\t" for character in text)
    assert document.title.strip()
    assert document.published_at is None or document.published_at.utcoffset() is not None
    order = [(region.kind, region.span.start) for region in document.regions]
    assert order == sorted(order)
    for kind in RegionKind:
        end = 0
        for region in document.regions_of(kind):
            assert end <= region.span.start < region.span.end <= len(text)
            assert region.span.of(text) == region.span.of(text).rstrip().lstrip("\n")
            end = region.span.end
