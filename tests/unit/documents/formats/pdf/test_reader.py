from datetime import UTC, datetime

import pytest

from ascertain.core.documents.blocks import BlockKind
from ascertain.core.documents.documents import DocumentKind, LeftOut
from ascertain.core.errors import SourceError
from ascertain.documents.sources.files import ReadOptions, read_path

LEFT = [
    "Retrieval finds the passages of a",
    "collection that answer a ques-",
    "tion. Open-source systems do so",
    "with an index of words. The open-",
    "source ones are studied here as",
    "they are used by many people.",
]
RIGHT = [
    "Dense vectors find paraphrases of",
    "the question, sparse ones find its",
    "rare names. Both together do best",
    "on every collection that we tried",
    "in this work and in earlier ones.",
    "We close with a look at the costs.",
]


def column(x, lines, top=600):
    return [(x, top - 12 * number, 10, "plain", line) for number, line in enumerate(lines)]


def paper(footer=True):
    first = [
        (60, 740, 20, "bold", "A Study of Finding Things"),
        (60, 700, 10, "plain", "Ann Lee and Bob Ray, University of Somewhere, published 3 May 2023 in full length"),
        (60, 660, 13, "bold", "Abstract"),
        (60, 640, 10, "plain", "We study how passages are found and what it costs to find them, with doi: 10.1000/1."),
        *column(60, LEFT),
        *column(330, RIGHT),
    ]
    second = [
        (60, 700, 13, "bold", "2 Results"),
        (60, 680, 10, "plain", "The results are good, as was to be hoped for, and they are shown in the table below."),
        (60, 640, 13, "bold", "References"),
        (60, 620, 10, "plain", "Lee, A. (2020). On things that are found by looking for them in the right place, and"),
        (75, 608, 10, "plain", "where to look. Journal of Looking, 3, 1-20."),
        (60, 596, 10, "plain", "Ray, B. (2021). Not found. Journal of Looking, 4, 7."),
    ]
    pages = [first, second]
    if footer:
        for number, page in enumerate(pages, 1):
            page.append((60, 30, 8, "plain", f"Lee et al. (2023). A Study of Finding Things. Page {number}"))
            page.append((300, 15, 8, "plain", str(number)))
    return pages


def test_reads_columns_in_order_and_mends_hyphens(read_one, a_pdf):
    text = read_one("p.pdf", a_pdf(paper())).text
    assert (
        "Retrieval finds the passages of a collection that answer a question. Open-source systems do so with an "
        "index of words. The open-source ones are studied here as they are used by many people.\n\nDense vectors "
        "find paraphrases of the question, sparse ones"
    ) in text


def test_a_paper_has_title_sections_pages_and_date(read_one, a_pdf):
    document = read_one("p.pdf", a_pdf(paper()))
    assert document.kind is DocumentKind.PAPER
    assert document.title == "A Study of Finding Things"
    assert document.published_at == datetime(2023, 5, 3, tzinfo=UTC)
    sections = [block.place.section for block in document.blocks_of(BlockKind.SECTION)]
    assert sections == [("Abstract",), ("2 Results",), ("References",)]
    pages = [(block.place.page, block.span.of(document.text)[:9]) for block in document.blocks_of(BlockKind.PAGE)]
    assert pages == [(1, "A Study o"), (2, "2 Results")]


def test_entries_of_the_references_are_paragraphs(read_one, a_pdf):
    text = read_one("p.pdf", a_pdf(paper(footer=False))).text
    assert text.endswith(
        "in the right place, and where to look. Journal of Looking, 3, 1-20.\n\n"
        "Ray, B. (2021). Not found. Journal of Looking, 4, 7."
    )


def test_a_running_footer_stands_once_behind_all_else_and_page_numbers_nowhere(read_one, a_pdf):
    with_footer, without = (read_one("p.pdf", a_pdf(paper(footer))) for footer in (True, False))
    (footer,) = with_footer.blocks_of(BlockKind.FURNITURE)
    assert footer.span.of(with_footer.text) == "Lee et al. (2023). A Study of Finding Things. Page 1"
    assert with_footer.text == f"{without.text}\n\n{footer.span.of(with_footer.text)}"
    assert with_footer.place_of(footer.span).label == ""


def test_metadata_names_the_title_and_the_date(read_one, a_pdf):
    document = read_one("p.pdf", a_pdf([column(60, LEFT)], title="Named in the file", compressed=True))
    assert document.title == "Named in the file"
    assert document.kind is DocumentKind.PROSE
    assert document.published_at == datetime(2024, 1, 2, 3, 4, 5, tzinfo=UTC)


def test_a_table_is_read_by_rows(read_one, a_pdf):
    names, values = ["Alpha", "Beta", "Gamma", "Delta", "Omega"], ["1.5", "2.5", "3.5", "4.5", "5.5"]
    page = [*column(60, LEFT, 760), *column(60, names), *column(330, values)]
    assert "Alpha | 1.5\nBeta | 2.5\nGamma | 3.5\nDelta | 4.5\nOmega | 5.5" in read_one("t.pdf", a_pdf([page])).text


def test_a_narrow_column_beside_the_text_does_not_cut_its_lines(read_one, a_pdf):
    body = [f"This is line {number} of the main text, which is far wider than the notes" for number in range(12)]
    notes = ["Submitted:", "3 May", "License", "Free to use"]
    page = [*column(200, body), *[(40, 596 - 11 * n, 8, "plain", note) for n, note in enumerate(notes)]]
    text = read_one("p.pdf", a_pdf([page])).text
    assert " ".join(body) in text
    assert "Submitted: 3 May License Free to use" in text


def test_code_keeps_its_lines(read_one, a_pdf):
    page = [*column(60, LEFT, 760), (60, 600, 10, "mono", "x = 1"), (60, 588, 10, "mono", "y = 2")]
    assert "\n\nx = 1\ny = 2" in read_one("c.pdf", a_pdf([page])).text


def test_a_paragraph_goes_on_over_the_page(read_one, a_pdf):
    document = read_one(
        "p.pdf", a_pdf([column(60, [*LEFT, "The next page holds the exam-"]), column(60, ["ple of it."])])
    )
    assert "The next page holds the example of it." in document.text
    first, second = document.blocks_of(BlockKind.PAGE)
    assert first.span.end == second.span.start
    assert second.span.of(document.text) == "ple of it."


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda a_pdf: a_pdf([[]]), "no text in it"),
        (lambda a_pdf: a_pdf([]), "has no pages|cannot open it|damaged or cut off"),
        (lambda a_pdf: a_pdf([column(60, LEFT)], encrypted=True), "encrypted; save it without a password"),
        (lambda a_pdf: a_pdf([column(60, LEFT)])[:200], "damaged or cut off"),
        (lambda _: b"%PDF-1.7\nnonsense", "damaged or cut off"),
    ],
)
def test_says_why_a_file_cannot_be_read(write, a_pdf, build, message):
    with pytest.raises(SourceError, match=rf"^bad\.pdf: .*({message})"):
        list(read_path(write("bad.pdf", build(a_pdf))))


def test_stops_at_the_limit_of_characters(write, a_pdf):
    with pytest.raises(SourceError, match="longer than 50 characters"):
        list(read_path(write("p.pdf", a_pdf([column(60, LEFT)])), ReadOptions(max_characters=50)))


def test_recognises_a_pdf_by_its_content(read_one, a_pdf):
    assert read_one("download", a_pdf([column(60, LEFT)])).text.startswith("Retrieval finds")


def test_a_file_without_pages_is_not_encrypted_because_the_one_before_was(write, a_pdf):
    with pytest.raises(SourceError, match="encrypted"):
        list(read_path(write("one.pdf", a_pdf([column(60, LEFT)], encrypted=True))))
    with pytest.raises(SourceError, match=r"damaged or cut off|has no pages|cannot open it"):
        list(read_path(write("two.pdf", a_pdf([]))))


def test_blocks_tell_what_each_piece_is(read_one, a_pdf):
    body = [
        f"This is line {number} of the text, which goes on from one edge of it to the other." for number in range(5)
    ]
    page = [
        (60, 760, 20, "bold", "A Guide to the Harbour"),
        (60, 720, 14, "bold", "1 Berths"),
        *column(60, body, 700),
        (60, 620, 10, "plain", "\u2022 First point of the list"),
        (60, 606, 10, "plain", "\u2022 Second point of the list"),
        (80, 592, 10, "plain", "a) A point inside of it"),
        (60, 578, 10, "plain", "\u2022 Third point of the list"),
        (60, 540, 10, "plain", "Figure 1: The harbour from above."),
        (60, 500, 10, "mono", "open(gate)"),
    ]
    document = read_one("guide.pdf", a_pdf([page]))
    kinds = [(block.kind, block.label) for block in document.tree.content() if block.kind is not BlockKind.PARAGRAPH]
    assert kinds == [
        (BlockKind.HEADING, None),
        (BlockKind.HEADING, None),
        (BlockKind.LIST, None),
        (BlockKind.ITEM, "-"),
        (BlockKind.ITEM, "-"),
        (BlockKind.LIST, None),
        (BlockKind.ITEM, "a)"),
        (BlockKind.ITEM, "-"),
        (BlockKind.CAPTION, None),
        (BlockKind.CODE, None),
    ]
    assert [block.level for block in document.blocks_of(BlockKind.HEADING)] == [0, 1]
    assert "- Second point of the list\n  a) A point inside of it\n- Third point" in document.text


def test_a_damaged_page_is_named_and_the_rest_read(write, a_pdf):
    # the object that the second page is made of is not there
    whole = a_pdf([column(60, LEFT), column(60, RIGHT), column(60, LEFT)]).replace(b"5 0 R", b"99 0 R")
    (document,) = read_path(write("p.pdf", whole))
    assert document.completeness.left_out == (LeftOut("damaged pages", 1, names=("2",)),)
    assert [block.place.page for block in document.blocks_of(BlockKind.PAGE)] == [1, 3]
