"""Tables of a PDF become rows of cells under their header; what only looks like one stays text."""

import os
from pathlib import Path

import pytest

from ascertain.documents.sources.files import read_path
from ascertain.language.tables import find_table

BENCH = Path(os.environ.get("ASCERTAIN_BENCH", Path(__file__).parents[5].parent / "shared" / "bench"))
PROSE = (
    "The tutorial was first given at a conference and has since been taught in several settings,",
    "each of which had participants with a wide range of experience in forecasting and coding.",
)


def table_lines(rows, columns=(60, 220, 320), top=600, leading=12, font="plain"):
    """Words at the columns; a cell of several lines is written with line ends and takes the height it needs."""
    lines, y = [], top
    for row in rows:
        wrapped = [cell.split("\n") for cell in row]
        for x, cell in zip(columns, wrapped, strict=True):
            lines += [(x, y - leading * number, 10, font, words) for number, words in enumerate(cell) if words]
        y -= leading * max(map(len, wrapped))
    return lines


def prose(top):
    return [(60, top - 12 * number, 10, "plain", line) for number, line in enumerate(PROSE)]


@pytest.fixture
def text_of(a_pdf, tmp_path):
    def read(*lines):
        path = tmp_path / "a.pdf"
        path.write_bytes(a_pdf([[*prose(700), *lines, *prose(200)]]))
        (document,) = read_path(path)
        return document.text

    return read


def test_rows_of_cells_under_their_header(text_of):
    text = text_of(*table_lines([("Meeting", "People", "Where"), ("Spring", "50", "Oslo"), ("Autumn", "70", "Bergen")]))
    assert "Meeting | People | Where\nSpring | 50 | Oslo\nAutumn | 70 | Bergen" in text
    table = find_table(text, text.index("Spring"))
    assert table is not None
    assert table.header.of(text) == "Meeting | People | Where"


def test_cells_of_several_lines_are_put_together(text_of):
    rows = [
        ("Name of meeting or\ngroup delivered to", "Number of\nparticipants", "Theme"),
        ("Ecological Society of\nAmerica", "50", "Terres-\ntrial"),
        ("Training\nprogramme", "15", "Aquatics"),
        ("Forecasting\nInitiative", "20", "Aquatics"),
    ]
    text = text_of(*table_lines(rows[:1], font="bold"), *table_lines(rows[1:], top=576))
    assert (
        "Name of meeting or group delivered to | Number of participants | Theme\n"
        "Ecological Society of America | 50 | Terrestrial\n"
        "Training programme | 15 | Aquatics\n"
        "Forecasting Initiative | 20 | Aquatics"
    ) in text


def test_rows_that_stand_apart_are_told_by_the_white_between_them(text_of):
    rows = [
        ("Alpha is the\nfirst one", "1", "two\nlines"),
        ("Beta", "2", "one"),
        ("Gamma has\nthree long\nlines", "3", "x"),
    ]
    lines, y = [], 600
    for row in rows:
        lines += table_lines([row], top=y)
        y -= 12 * max(cell.count("\n") + 1 for cell in row) + 8
    assert "Alpha is the first one | 1 | two lines\nBeta | 2 | one\nGamma has three long lines | 3 | x" in text_of(
        *lines
    )


def test_an_empty_cell_keeps_the_others_in_their_columns(text_of):
    text = text_of(*table_lines([("City", "Rooms", "Note"), ("Oslo", "", "closed"), ("Bergen", "7", "open")]))
    assert "Oslo | – | closed\nBergen | 7 | open" in text


def test_text_around_a_table_is_no_part_of_it(text_of):
    text = text_of(*table_lines([("City", "Rooms", "Note"), ("Oslo", "4", "closed"), ("Bergen", "7", "open")]))
    assert text.startswith(" ".join(PROSE))
    assert text.endswith(" ".join(PROSE))


HEADER = ("Meeting", "What was done there", "People")


def overleaf(a_pdf, tmp_path, second):
    """What is read of a table whose rows ``second`` are printed on the next page."""
    first = [HEADER, ("Spring", "Boats were", "50"), ("Autumn", "Nets were mended and", "70")]
    path = tmp_path / "a.pdf"
    columns = (60, 160, 400)
    pages = [[*prose(700), *table_lines(first, columns)], [*table_lines(second, columns, top=740), *prose(500)]]
    path.write_bytes(a_pdf(pages))
    (document,) = read_path(path)
    return document.text


def test_a_table_goes_on_overleaf_under_its_header(a_pdf, tmp_path):
    text = overleaf(a_pdf, tmp_path, [("Winter", "Nothing was", "7"), ("Lent", "Ropes were", "9")])
    assert "Autumn | Nets were mended and | 70\nWinter | Nothing was | 7\nLent | Ropes were | 9" in text
    table = find_table(text, text.index("Winter"))
    assert table is not None
    assert table.header.of(text) == " | ".join(HEADER)


def test_a_row_that_is_cut_by_the_end_of_a_page_is_one_row(a_pdf, tmp_path):
    text = overleaf(
        a_pdf, tmp_path, [("", "dried in the sun", "or more"), ("Winter", "Nothing was", "7"), ("Lent", "Ropes", "9")]
    )
    assert "Autumn | Nets were mended and dried in the sun | 70 or more\nWinter | Nothing was | 7" in text


def test_a_table_whose_header_is_printed_anew_stands_by_itself(a_pdf, tmp_path):
    text = overleaf(a_pdf, tmp_path, [HEADER, ("Winter", "Nothing was", "7"), ("Lent", "Ropes were", "9")])
    assert "Autumn | Nets were mended and | 70\n\nMeeting | What was done there | People\nWinter" in text


@pytest.mark.parametrize(
    "rows",
    [
        [("1.", "The first thing to do"), ("2.", "The second thing"), ("3.", "The third thing")],
        [("E = mc2", "(1)"), ("F = ma", "(2)"), ("p = mv", "(3)")],
        [("Ann Example", "1, Bob Sample"), ("Cyd Instance", "2, Dan Case"), ("Eve Model", "3, Fay Type")],
    ],
)
def test_lists_formulas_and_authors_are_no_tables(text_of, rows):
    assert " | " not in text_of(*table_lines(rows, (60, 240)))


TABLES = {
    "10.21105.jose.00259.pdf": [
        "Name of meeting or group delivered to | Approximate number of participants | Modality | Challenge theme",
        "GLEON* All-Hands conference | 50 | In-person | Aquatics",
        "InventWater PhD training programme | 15 | Synchronous on-line | Aquatics",
        "GLEON All-Hands’ Virtual conference | 70 | Asynchronous on-line (pre-recorded) | Aquatics",
        "AEMON-J**/DSOS*** Hacking Limnology | 70 | Synchronous on-line | Aquatics",
        "Global Change Ecology Lab, University of Edinburgh | 10 | Synchronous on-line | Terrestrial",
        "NEON Technical Working Group on Ecological Forecasting | 10 | Synchronous on-line | Terrestrial",
        "Ecological Society of America conference | 50 | In-person | Terrestrial",
        "Graduate environmental data science class | 40 | In-person | Terrestrial/Aquatics",
        "Ecological Forecasting Initiative conference | 20 | In-person | Aquatics",
    ],
    "10.21105.jose.00146.pdf": [
        "– | Run | View",
        "Tutorial: Jupyter Notebooks | Open in Colab | Open in Book",
        "Tutorial: Nonlinear Modeling | Open in Colab | Open in Book",
        "Tutorial: Models of Learning | Open in Colab | Open in Book",
        "Exercise | Open in Colab | Open in Book",
    ],
    "10.21105.jose.00265.pdf": [
        "Session | Materials",
        "L2: Understanding Protein Systems | Lecture Slides",
        "P: Dimensionality Reduction, part 1 | Notebook",
        "L8: Data Classification | Lecture Slides",
    ],
}
"""As the printed pages show them, by eye."""


@pytest.mark.parametrize("name", TABLES)
def test_tables_of_real_papers(name):
    path = BENCH / "pdf_papers" / "pdf" / name
    if not path.exists():
        pytest.skip("the papers are not at hand")
    (document,) = read_path(path)
    assert [row for row in TABLES[name] if row not in document.text.split("\n")] == []
