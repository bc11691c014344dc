import io
import zipfile

import pytest

from ascertain.core.documents.blocks import BlockKind
from ascertain.core.errors import SourceError
from ascertain.documents.sources.files import read_path


def test_reads_headings_tables_and_properties(read_one, a_docx):
    content = a_docx((1, "One"), "First.", (2, "Two"), [["a", "b"], ["c", "d"]], title="The title", author="Zoe")
    document = read_one("d.docx", content)
    assert document.text == "One\n\nFirst.\n\nTwo\n\na | b\nc | d"
    assert (document.title, document.author) == ("The title", "Zoe")
    assert [block.place.section for block in document.blocks_of(BlockKind.SECTION)] == [("One",), ("One", "Two")]


def test_a_title_paragraph_is_the_title(read_one, a_docx):
    assert read_one("d.docx", a_docx((0, "Report"), "Text.")).title == "Report"


def a_zip(**entries):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in entries.items():
            archive.writestr(name.replace("__", "/").replace("_xml", ".xml"), content)
    return out.getvalue()


def test_refuses_what_only_looks_like_word(write, a_docx):
    whole = a_docx("Text.")
    cases = {
        a_zip(a="x"): "not a Word document",
        whole[: len(whole) // 2]: "damaged or cut off",
        a_zip(word__document_xml="0" * 150_000_000): "more than is safe to open",
        a_zip(word__document_xml="<nonsense"): "its content is not that of DOCX",
        b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600): "old or encrypted Office file",
        a_docx(): "no readable text",
    }
    for content, message in cases.items():
        with pytest.raises(SourceError, match=rf"^d\.docx: .*{message}"):
            list(read_path(write("d.docx", content)))


def test_refuses_a_document_nested_in_an_archive(write, a_docx):
    with pytest.raises(SourceError, match="not a Word document; unpack it"):
        list(read_path(write("d.docx", a_zip(inner_docx=a_docx("Text.")))))


def test_empty_and_equal_cells_keep_their_columns(read_one, a_docx):
    document = read_one("d.docx", a_docx([["Item", "Q1", "Q2"], ["Repairs", "6", "6"], ["Rent", "", "9"]]))
    assert document.text == "Item | Q1 | Q2\nRepairs | 6 | 6\nRent | – | 9"
