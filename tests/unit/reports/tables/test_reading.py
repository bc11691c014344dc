"""Tables of stored documents: what is a row, what is a header, what is a total, and what is left out."""

from __future__ import annotations

import io
import time

import pytest
from docx import Document as Word
from hypothesis import given
from hypothesis import strategies as st
from openpyxl import Workbook

from ascertain.core.documents.blocks import Block, BlockKind, Span
from ascertain.core.documents.documents import Document, DocumentKind
from ascertain.reports.tables.columns import type_table
from ascertain.reports.tables.reading import ReadingTooLong, read_tables
from ascertain.reports.tables.values import ColumnKind


def a_document(text: str, source: str = "/x/a.csv") -> Document:
    block = Block(BlockKind.TABLE, Span(0, len(text)), header_rows=1)
    return Document(source, text, "A", DocumentKind.PROSE, source, blocks=(block,))


def workbook(**sheets) -> bytes:
    book = Workbook()
    book.remove(book.active)
    for name, rows in sheets.items():
        page = book.create_sheet(name)
        for row in rows:
            page.append(row)
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


def test_rows_are_spans_of_the_stored_text_and_totals_stand_apart(read_files):
    (table,) = read_files(votes_dot_csv="District,Votes\nMill,120\nQuay,340\nCastle,90\nTotal,550\n")
    text = table.documents[0].text
    assert [row.span.of(text) for row in table.rows] == ["Mill | 120", "Quay | 340", "Castle | 90"]
    assert [row.cells for row in table.totals] == [("Total", "550")]
    assert table.headers[0].of(text) == "District | Votes"


def test_a_last_row_of_figures_without_a_label_is_a_total(read_files):
    (table,) = read_files(a_dot_csv="Item,Cost\nOne,10\nTwo,20\nThree,30\n,60\n")
    assert len(table.rows) == 3
    assert [row.cells for row in table.totals] == [("", "60")]


@pytest.mark.parametrize("label", ["Total War", "Sum of all fears, a novel"])
def test_a_name_that_begins_like_a_total_is_a_row(read_files, label):
    (table,) = read_files(films_dot_tsv=f"Film\tYear\tPrice\nMute\t1999\t4\n{label}\t2001\t5\n")
    assert len(table.rows) == 2


def test_each_table_of_a_workbook_is_one_and_merged_headers_are_joined(read_files):
    book = Workbook()
    page = book.active
    page.title = "Plan"
    for row in (
        ["Costs of the year"],
        ["Month", "Costs", None],
        [None, "Plan", "Actual"],
        ["January", 10, 12],
        ["February", 11, 9],
    ):
        page.append(row)
    page.merge_cells("B2:C2")
    page.merge_cells("A2:A3")
    page.append([])
    for row in (["Tool", "Price"], ["Saw", 12.5], ["Axe", 30]):
        page.append(row)
    out = io.BytesIO()
    book.save(out)
    plan, tools = read_files(budget_dot_xlsx=out.getvalue())
    assert plan.names == ("Month", "Costs Plan", "Costs Actual")
    assert len(plan.rows) == 2
    assert tools.names == ("Tool", "Price")
    assert plan.label != tools.label


def test_tables_of_markdown_word_and_web_pages_are_found(read_files):
    word = Word()
    word.add_heading("Loans", 1)
    grid = word.add_table(rows=3, cols=2)
    for cells, row in zip((("Book", "Days"), ("Salt", "3"), ("Bees", "9")), grid.rows, strict=True):
        for text, cell in zip(cells, row.cells, strict=True):
            cell.text = text
    out = io.BytesIO()
    word.save(out)
    html = "<h1>Plants</h1><table><tr><th>Plant</th><th>MW</th></tr><tr><td>A</td><td>1</td></tr><tr><td>B</td><td>2</td></tr></table>"
    text = "Stock\n\n| Item | Left |\n|---|---|\n| Nut | 4 |\n| Bolt | 7 |\n"
    tables = read_files(loans_dot_docx=out.getvalue(), plants_dot_html=html, stock_dot_txt=text)
    assert [(table.names, len(table.rows)) for table in tables] == [
        (("Book", "Days"), 2),
        (("Plant", "MW"), 2),
        (("Item", "Left"), 2),
    ]


def test_the_parts_of_a_long_table_are_one_table_again():
    parts = [a_document("n | v\n1 | 10\n2 | 20", "/x/a.csv#1-2"), a_document("n | v\n3 | 30", "/x/a.csv#3-3")]
    (table,) = read_tables(parts)
    assert [row.cells for row in table.rows] == [("1", "10"), ("2", "20"), ("3", "30")]
    assert [row.document for row in table.rows] == [0, 0, 1]


def test_columns_with_one_name_or_none_are_told_apart(read_files):
    (table,) = read_files(a_dot_csv="Amount,Amount,,Who\n1,2,3,Ada\n4,5,6,Bo\n")
    assert table.names == ("Amount", "Amount (2)", "column 3", "Who")


def test_rows_with_too_many_cells_are_counted_and_short_ones_filled():
    (table,) = read_tables([a_document("a | b | c\n1 | 2\n1 | 2 | 3 | 4\n5 | 6 | 7")])
    assert [row.cells for row in table.rows] == [("1", "2", ""), ("5", "6", "7")]
    assert table.left_out == 1


@pytest.mark.parametrize(
    "text", ["a | b", "a | b\n1 | 2", "", "only one column\n1\n2", "- first | x\n- second | y\n- third | z"]
)
def test_what_has_no_rows_or_no_header_is_no_table(text):
    assert read_tables([a_document(text)] if text else []) == []


def test_types_of_columns(read_files):
    (table,) = read_files(
        a_dot_csv="id,name,price,share,born,fit,took,note\n1,Ada,$2.50,10%,2001-02-03,yes,1:02:03,x\n2,Bo,$3.00,20%,2002-02-03,no,2:02:03,\n3,Cy,n/a,30%,2003-02-03,no,3:02:03,y\n"
    )
    kinds = [column.kind for column in type_table(table).columns]
    assert kinds == [
        ColumnKind.NUMBER,
        ColumnKind.TEXT,
        ColumnKind.MONEY,
        ColumnKind.PERCENT,
        ColumnKind.DATE,
        ColumnKind.YES_NO,
        ColumnKind.DURATION,
        ColumnKind.TEXT,
    ]


def test_a_column_of_mixed_kinds_is_text_and_a_stray_cell_is_counted():
    mixed = type_table(read_tables([a_document("k | v\na | 1\nb | two\nc | 3\nd | four")])[0])
    assert mixed.columns[1].kind is ColumnKind.TEXT
    rows = "\n".join(f"r{number} | {number}" for number in range(20))
    stray = type_table(read_tables([a_document(f"k | v\n{rows}\nlast | see note")])[0])
    assert (stray.columns[1].kind, stray.columns[1].unread) == (ColumnKind.NUMBER, 1)


def test_amounts_in_two_currencies_or_units_are_not_computed_together():
    table = type_table(read_tables([a_document("k | v\na | $1\nb | €2\nc | $3")])[0])
    assert table.columns[1].kind is ColumnKind.TEXT


def test_reading_ends_when_the_time_is_up():
    with pytest.raises(ReadingTooLong, match="in time"):
        read_tables([a_document("a | b\n1 | 2\n3 | 4")], time.monotonic() - 1)


@given(st.lists(st.lists(st.text(max_size=12), min_size=1, max_size=5), max_size=8))
def test_any_text_gives_rows_that_are_spans_of_it(rows):
    text = "\n".join(" | ".join(row) for row in rows)
    for table in read_tables([a_document(text)] if text else []):
        for row in table.rows:
            assert 0 <= row.span.start < row.span.end <= len(text)
            assert len(row.cells) == len(table.names)
        type_table(table)
