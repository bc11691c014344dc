"""Builders of small files of every format."""

import io
import sys
from pathlib import Path

import docx
import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "servers"))

from small_pdf import small_pdf

from ascertain.documents.sources.files import ReadOptions, read_path
from ascertain.testing.documents import check_document


@pytest.fixture
def a_pdf():
    """Bytes of a PDF from pages of (x, y, size, font, text)."""
    return small_pdf


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
        documents = list(read_path(write(name, content), ReadOptions(**options)))
        assert len(documents) == 1
        check_document(documents[0])
        return documents[0]

    return one


@pytest.fixture
def check():
    """Asserts what holds for every document of every format."""
    return check_document
