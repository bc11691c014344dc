import pytest

from ascertain.core.documents.blocks import BlockKind
from ascertain.core.documents.documents import DocumentKind
from ascertain.documents.formats.plain.text import is_paper, is_section_name, run_in_heading

TEXT = """Notes on a thing

Abstract

We look at it.

1. Introduction
It is a thing, said in one sentence.

2 Methods

Looking.

REFERENCES

Lee, A. (2020). Things.
"""


def test_a_paper_saved_as_text_has_sections(read_one):
    document = read_one("p.txt", TEXT)
    assert document.kind is DocumentKind.PAPER
    assert document.text.split() == TEXT.split()
    sections = [block.place.section for block in document.blocks_of(BlockKind.SECTION)]
    assert sections == [("Abstract",), ("1. Introduction",), ("2 Methods",), ("REFERENCES",)]


def test_a_paper_in_markdown_is_a_paper(read_one):
    assert (
        read_one("p.md", "# T\n\n## Abstract\n\na\n\n## Results\n\nb\n\n## Discussion\n\nc").kind is DocumentKind.PAPER
    )


@pytest.mark.parametrize("headings", [["Introduction", "Usage", "References"], ["Summary", "Background"], []])
def test_other_documents_are_not(headings):
    assert not is_paper(headings, "")


@pytest.mark.parametrize(
    "name", ["Abstract", "3. RESULTS AND DISCUSSION", "IV. Experiments", "A. Appendix", "References:"]
)
def test_knows_section_names_numbered_or_not(name):
    assert is_section_name(name)
    assert not is_section_name(f"{name} of Bob")


def test_finds_headings_that_run_into_the_text():
    assert run_in_heading("Abstract—We show") == "Abstract"
    assert run_in_heading("Abstractions are") is None
