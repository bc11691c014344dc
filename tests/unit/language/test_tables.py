import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ascertain.language.tables import BLANK, TableFinder, find_table, is_row, join_cells, label_row, split_cells

RATES = "Our rates.\n\nCountry | Days | Cost\nAustria | 3-5 | 9.50 €\nSwitzerland | 5-7 | 19.00 €\n\nWe do not ship to Mars."
CELLS = st.lists(
    st.text(st.characters(codec="ascii", exclude_categories=("C",), exclude_characters="|"), max_size=8),
    min_size=2,
    max_size=6,
)


@pytest.mark.parametrize(
    ("line", "cells"),
    [
        ("a | b | c", ("a", "b", "c")),
        ("| a | b |", ("a", "b")),
        ("a\tb\tc", ("a", "b", "c")),
        ("a||b", ("a||b",)),
        ("no row", ("no row",)),
        ("", ("",)),
    ],
)
def test_splits_a_row_into_its_cells(line, cells):
    assert split_cells(line) == cells
    assert is_row(line) == (len(cells) > 1)


@given(CELLS.map(lambda cells: [" ".join(cell.split()) for cell in cells]))
def test_joined_cells_are_split_again_into_as_many(cells):
    row = join_cells(cells)
    assert not row or split_cells(row) == tuple(cell or BLANK for cell in cells)


def test_one_tab_makes_no_row():
    assert not is_row("He said:\tno.")


def test_a_mark_inside_a_cell_parts_no_cells():
    assert split_cells(join_cells(["a || b", "x | y"])) == ("a||b", "x|y")


def test_a_row_is_found_with_its_header():
    table = find_table(RATES, RATES.index("9.50"))
    assert table.header.of(RATES) == "Country | Days | Cost"
    assert [row.of(RATES) for row in table.rows] == ["Austria | 3-5 | 9.50 €", "Switzerland | 5-7 | 19.00 €"]
    assert find_table(RATES, 0) is None
    assert find_table("a | b\n\nc", 0) is None


def test_the_line_under_a_header_in_markdown_is_no_row():
    text = "| A | B |\n|---|:--|\n| 1 | 2 |"
    assert [row.of(text) for row in find_table(text, 0).rows] == ["| 1 | 2 |"]


LISTED = """It is inferred.

.. list-table:: Examples
    :header-rows: 1

    * - Declared
      - Inferred name
    * - ``"--foo-bar"``
      - foo_bar, in
        lower case
    * - ``"-x"``
      - x

Basic example"""


def test_a_table_written_as_a_list_of_lists_has_rows_too():
    table = find_table(LISTED, LISTED.index("foo_bar"))
    assert split_cells(table.header.of(LISTED)) == ("Declared", "Inferred name")
    assert [split_cells(row.of(LISTED)) for row in table.rows] == [
        ('``"--foo-bar"``', "foo_bar, in lower case"),
        ('``"-x"``', "x"),
    ]
    assert table == find_table(LISTED, LISTED.index("Declared")) == TableFinder(LISTED).find_at(LISTED.index("- x"))
    assert label_row(table.header.of(LISTED), table.rows[1].of(LISTED)) == 'Declared | Inferred name / ``"-x"`` | x'
    assert find_table(LISTED, 0) is None
    assert find_table(LISTED, LISTED.index("Basic")) is None


def test_a_list_of_items_is_no_table():
    assert find_table("* one\n* two\n  - three\n  - four", 3) is None


@example("a |\na |\n-|", None)
@given(st.text(alphabet="a *|\n-", max_size=60), st.data())
def test_tables_of_lists_hold_the_place_they_were_found_at(text, data):
    for position in range(len(text)):
        table = find_table(text, position)
        if table is not None:
            # white space around a line is no part of the table, and neither is a line that is only drawn above or below it
            assert not text[position : table.span.start].strip(" |\n-")
            assert not text[table.span.end : position].strip(" |\n-")
            assert all(len(split_cells(span.of(text))) > 1 for span in (table.header, *table.rows))


@example("a |\n\ta\ta")
@given(st.text(alphabet="a |\t\n-", max_size=60))
def test_tables_of_any_text_hold_the_place_they_were_found_at(text):
    finder = TableFinder(text)
    for position in range(len(text)):
        table = finder.find_at(position)
        if table is not None:
            assert table == find_table(text, position)
            assert all(is_row(span.of(text)) for span in (table.header, *table.rows))


@pytest.mark.parametrize(
    ("header", "row", "shown"),
    [
        ("Country | Days | Cost", "Austria | 3-5 | 9.50 €", "Country: Austria | Days: 3-5 | Cost: 9.50 €"),
        ("– | Rondeel | Süd", "Price | 13.40 € | 12.10 €", "Price | Rondeel: 13.40 € | Süd: 12.10 €"),
        ("Name | Ext. | Mobile", "Bos | 100 | –", "Name: Bos | Ext.: 100"),
        ("Option | Meaning", "-v | more words", "Option | Meaning / -v | more words"),
        ("A | B | C", "1 | 2", "A | B | C / 1 | 2"),
    ],
)
def test_a_row_is_told_with_its_columns(header, row, shown):
    assert label_row(header, row) == shown
