import csv
import io

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ascertain.core.documents.blocks import BlockKind
from ascertain.documents.sources.files import ReadOptions, read_path


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ("Export of the gauge\nCreated: 2026\n\nStation;Height;Time\nAlta;212;06:10\n", "Export of the gauge\n\nCreated: 2026\n\nStation | Height | Time\nAlta | 212 | 06:10"),
        ("sep=;\nname;value\na;1,5\nb;2,5\n", "name | value\na | 1,5\nb | 2,5"),
        ("name;value\na;1,5\nb;2,5\n", "name | value\na | 1,5\nb | 2,5"),
        ("\ufeffno|city\n1|Graz\n2|Bonn\n", "no | city\n1 | Graz\n2 | Bonn"),
        ("# made by hand\nno,city\n1,Graz\n", "# made by hand\n\nno | city\n1 | Graz"),
        ("Fees of 2026,,\n,,\nboat,fee,note\nAlma,120,\n", "Fees of 2026\n\nboat | fee | note\nAlma | 120 | –"),
        ('no,address\n1,"Quay 5\n5020 Bergen"\n', "no | address\n1 | Quay 5 / 5020 Bergen"),
        ('"mpg","cyl"\n"Mazda",21,6\n"Datsun",22,4\n', "– | mpg | cyl\nMazda | 21 | 6\nDatsun | 22 | 4"),
        ("value\n1.5\n2.5\n", "value\n1.5\n2.5"),
        ('"a" "b c"\n1 "x y"\n2 "z"\n', "a | b c\n1 | x y\n2 | z"),
        ("a,a,b\n1,2,3\n", "a | a | b\n1 | 2 | 3"),
        ("a,,b\n1,2,3\n", "a | column 2 | b\n1 | 2 | 3"),
    ],
)  # fmt: skip
def test_a_table_is_found_by_its_structure(read_one, content, text):
    assert read_one("a.csv", content).text == text


def test_rows_without_a_header_have_none(read_one):
    document = read_one("a.csv", "1.5,20,Alta\n2.5,30,Vardo\n")
    assert document.text == "1.5 | 20 | Alta\n2.5 | 30 | Vardo"
    assert document.blocks_of(BlockKind.TABLE)[0].header_rows == 0


def test_a_bad_row_below_a_preamble_is_named_by_its_line(write):
    bad = []
    path = write("a.csv", 'Export\n\nno,price,city\n1,2,x\n"2,3,y\n3,4,z\n')
    (document,) = read_path(path, ReadOptions(on_bad_row=lambda *row: bad.append(row)))
    assert document.text == "Export\n\nno | price | city\n1 | 2 | x\n3 | 4 | z"
    assert "line 5" in bad[0][1]


def test_a_column_called_text_makes_no_articles_of_short_cells(read_one):
    document = read_one("a.csv", "text,date,number,ok\nChicago Reader,1971-01-01,40,yes\n")
    assert document.text == "text | date | number | ok\nChicago Reader | 1971-01-01 | 40 | yes"


CELL = st.text(st.characters(whitelist_categories=("L", "N"), whitelist_characters=",;\t|\n\"' "), max_size=8)


@settings(max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(CELL, CELL, CELL), min_size=1, max_size=8), st.sampled_from(",;\t"))
def test_no_cell_is_lost(write, rows, delimiter):
    out = io.StringIO()
    writer = csv.writer(out, delimiter=delimiter, quoting=csv.QUOTE_ALL)
    writer.writerows([("first", "second", "third"), *rows, ("x", "y", "z")])
    documents = list(read_path(write("a.csv", out.getvalue()), ReadOptions()))
    text = "".join(document.text for document in documents)
    for row in rows:
        for cell in row:
            for word in "".join(c if c.isalnum() else " " for c in cell).split():
                assert word in text
