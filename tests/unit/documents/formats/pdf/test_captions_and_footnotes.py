"""Captions and footnotes stand by themselves; the sentence that they interrupt goes on; raised figures stay raised."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ascertain.core.documents.blocks import BlockKind
from ascertain.documents.formats.pdf.layout import style_of, with_edges
from ascertain.documents.formats.pdf.lines import Line, find_fragments
from ascertain.documents.formats.pdf.paragraphs import Role, build_paragraphs
from ascertain.documents.formats.pdf.words import Font, Word

TEXT = [
    "Lakes are sampled by hand in spring and by buoys in summer, which",
    "makes their records hard to compare unless the two are set beside",
    "each other for some weeks, as was done here in every year since the",
    "first buoy was put out and as we recommend to whoever begins now",
]
REST = [
    "with a lake that nobody has measured. Costs are small and the gain",
    "is large, for old records can be used without any guess at all.",
]
JOINED = "as we recommend to whoever begins now with a lake that nobody has measured. Costs"


def set_lines(lines, top, size=10, x=60, font="plain"):
    return [(x, top - 1.2 * size * number, size, font, words) for number, words in enumerate(lines)]


@pytest.mark.parametrize(
    "caption", ["Figure 3: A buoy in the lake", "Table 2. Buoys and lakes.", "Abb. 4 – Eine Boje", "Figure 1 Buoys"]
)
def test_a_caption_is_a_paragraph_and_the_sentence_goes_on_behind_it(read_one, a_pdf, caption):
    page = [*set_lines(TEXT, 700), (60, 560, 9, "plain", caption), *set_lines(REST, 520)]
    text = read_one("p.pdf", a_pdf([page])).text
    assert JOINED in text
    assert f"\n\n{caption}" in text


def test_a_table_in_the_midst_of_a_sentence_keeps_its_rows(read_one, a_pdf):
    rows = [("Lake", "Buoys", "Since"), ("Mendota", "4", "1998"), ("Sunapee", "2", "2007"), ("Erie", "9", "2011")]
    cells = [
        (x, 540 - 12 * n, 10, "plain", cell)
        for n, row in enumerate(rows)
        for x, cell in zip((60, 180, 300), row, strict=True)
    ]
    page = [*set_lines(TEXT, 700), (60, 570, 9, "plain", "Table 1: Buoys by lake"), *cells, *set_lines(REST, 440)]
    text = read_one("p.pdf", a_pdf([page])).text
    assert JOINED in text
    assert "\n\nTable 1: Buoys by lake\n\nLake | Buoys | Since\nMendota | 4 | 1998" in text


@pytest.mark.parametrize(
    "before", ["as is shown for all of the buoys in", "(see", "as was found before, for which we point to"]
)
def test_a_line_of_a_sentence_that_names_a_figure_is_no_caption(read_one, a_pdf, before):
    lines = [TEXT[0], f"{TEXT[1]} {before}", "Figure 3. The others are like it and are not shown in this text", *REST]
    text = read_one("p.pdf", a_pdf([set_lines(lines, 700)])).text
    assert f"{before} Figure 3. The others are like it" in text


def test_the_second_line_of_a_caption_belongs_to_it(read_one, a_pdf):
    caption = ["Figure 3: A buoy in the lake, with the chain by which it is", "held and the lamp that is lit at night"]
    page = [*set_lines(TEXT, 700), *set_lines(caption, 560, 9), *set_lines(REST, 510)]
    assert f"\n\n{' '.join(caption)}\n\n" in read_one("p.pdf", a_pdf([page])).text + "\n\n"


def a_note(mark, words, top):
    return [(60, top + 2.5, 5, "plain", mark), (63.5, top, 8, "plain", words)]


def test_footnotes_leave_the_sentence_whole_and_are_marked(read_one, a_pdf):
    first = [
        *set_lines(TEXT, 700),
        *a_note("1", "A buoy is a float with sensors.", 60),
        *a_note("2", "See the appendix.", 50),
    ]
    document = read_one("p.pdf", a_pdf([first, set_lines(REST, 700)]))
    assert JOINED in document.text
    assert "\n\n[1] A buoy is a float with sensors.\n\n[2] See the appendix." in document.text
    pages = {r.place.page for r in document.blocks_of(BlockKind.PAGE) if "buoy is a float" in r.span.of(document.text)}
    assert pages == {1}


@pytest.mark.parametrize("form", ["{} {}", "{}. {}", "{}) {}"])
def test_a_footnote_whose_number_is_not_raised_is_known_by_the_mark_in_the_text(form):
    body = [TEXT[0], f"{TEXT[1]}¹", f"{TEXT[2]}²", TEXT[3]]
    notes = [form.format(1, "A buoy is a float with sensors."), form.format(2, "See the appendix.")]
    lines = [a_line(words, 700 - 12 * number, 10.0, 1) for number, words in enumerate(body)]
    lines += [a_line(words, 60 - 10 * number, 8.0, 1) for number, words in enumerate(notes)]
    text, first, second = build_paragraphs(with_edges(lines), style_of(lines))
    assert (first.role, second.role) == (Role.NOTE, Role.NOTE)
    assert text.lines[1].text.endswith("set beside[1]")
    assert first.lines[0].text == "[1] A buoy is a float with sensors."
    assert second.lines[0].text == "[2] See the appendix."


def test_small_print_that_begins_with_a_number_nobody_refers_to_is_no_footnote(read_one, a_pdf):
    page = [*set_lines(TEXT, 700), *set_lines(["12 lakes were left out of this count."], 60, 8)]
    assert "[12]" not in read_one("p.pdf", a_pdf([page, set_lines(REST, 700)])).text


def test_a_column_ends_with_its_footnotes_and_goes_on_in_the_next(read_one, a_pdf):
    left = [" ".join(line.split()[:6]) for line in (*TEXT, *TEXT)]
    right = ["with a lake that nobody has", *left]
    page = [
        *set_lines(left, 700), *a_note("1", "A buoy is a float with sensors.", 500),
        *set_lines(right, 700, x=330),
    ]  # fmt: skip
    text = read_one("p.pdf", a_pdf([page])).text
    assert f"{left[-1]} with a lake that nobody has" in text
    assert "\n\n[1] A buoy is a float with sensors." in text


PLAIN, SMALL = Font(10, False, False, False), Font(6.5, False, False, False)


@pytest.mark.parametrize(
    ("raised", "written"),
    [("6", "10⁶"), ("-3", "10⁻³"), ("\u22123", "10⁻³"), ("1,2", "10¹,²"), ("n", "10ⁿ"), ("th", "10th")],
)
def test_raised_figures_are_no_digits_of_the_number_below(raised, written):
    words = [
        Word("10", 60, 70, 700, PLAIN),
        Word(raised, 70, 75, 703.6, SMALL),
        Word(" ", 0, 0, 0, None),
        Word("metres", 78, 110, 700, PLAIN),
    ]
    (line,) = find_fragments(words)
    assert line.text == f"{written} metres"


def test_lowered_and_level_figures_stay_as_they_are():
    words = [Word("CO", 60, 70, 700, PLAIN), Word("2", 70, 75, 698, SMALL), Word("of1", 76, 90, 700, PLAIN)]
    assert find_fragments(words)[0].text == "CO2of1"


def a_line(text, y, size, page, block=0):
    return Line(text, 60, 60 + 5 * len(text), y, size, is_bold=False, is_mono=False, page=page, block=block)


texts = st.sampled_from(
    [
        "Figure 1: A lake",
        "Table 2",
        "¹ A note.",
        "∗ Another",
        "word² and more",
        "Some words of a line",
        "ends here.",
        "• item",
        "2 Results",
    ]
)
lines_of_pages = st.lists(
    st.builds(
        a_line, texts, st.floats(20, 780), st.sampled_from([7.0, 8.0, 10.0, 14.0]), st.integers(1, 3), st.integers(0, 2)
    ),
    min_size=1,
)


@given(lines_of_pages)
def test_every_line_is_in_one_paragraph(drawn):
    lines = with_edges(sorted(drawn, key=lambda line: (line.page, line.block, -line.y)))
    found = build_paragraphs(lines, style_of(lines))
    places = sorted((line.page, line.block, line.y, line.size) for paragraph in found for line in paragraph.lines)
    assert places == sorted((line.page, line.block, line.y, line.size) for line in lines)
    notes = [paragraph for paragraph in found if paragraph.role is Role.NOTE]
    assert all(line.is_note for paragraph in notes for line in paragraph.lines)


pieces = st.sampled_from([*TEXT, *REST, "Figure 1: A buoy.", "Table 3. Lakes", "and in", "2 Results"])
printed = st.lists(
    st.tuples(pieces, st.sampled_from([7, 8, 10, 13]), st.sampled_from(["", "1", "2"])), min_size=1, max_size=12
)


@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(printed, min_size=1, max_size=3))
def test_every_region_lies_in_the_text(read_one, a_pdf, pages):
    drawn = []
    for page in pages:
        drawn.append([])
        for number, (words, size, mark) in enumerate(page):
            drawn[-1].append((66, 740 - 55 * number, size, "plain", words))
            drawn[-1] += [(60, 740 - 55 * number + 3, 5, "plain", mark)] if mark else []
    # ``read_one`` checks every block against the text
    document = read_one("p.pdf", a_pdf(drawn))
    letters = sorted("".join(words for page in pages for words, _, _ in page).replace(" ", ""))
    assert len([letter for letter in document.text if letter.isalpha()]) <= len(letters)
