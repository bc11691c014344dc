import json
from datetime import UTC, datetime

import pytest

from ascertain.core.documents.documents import DocumentKind
from ascertain.core.errors import SourceError
from ascertain.documents.sources.files import ReadOptions, read_path


def test_reads_an_article_by_common_field_names(write):
    row = {
        "headline": "Bitcoin rises",
        "description": "It rose.",
        "body": "Bitcoin rose by 5 %.",
        "link": "https://n.ews/1",
        "publishedAt": "2024-05-01T10:00:00Z",
        "source": {"name": "The News"},
        "tags": "crypto; markets",
    }
    path = write("a.jsonl", json.dumps(row) + "\n")
    (document,) = read_path(path, ReadOptions(tags=("mine",), profile="news"))
    assert document.text == "Bitcoin rises\n\nIt rose.\n\nBitcoin rose by 5 %."
    assert document.title == "Bitcoin rises"
    assert document.kind is DocumentKind.ARTICLE
    assert document.source == f"{path}#1"
    assert (document.url, document.author) == ("https://n.ews/1", "The News")
    assert document.published_at == datetime(2024, 5, 1, 10, tzinfo=UTC)
    assert document.tags == ("mine", "crypto", "markets")
    assert document.profile == "news"


def test_reports_bad_rows_and_goes_on(write):
    path = write("a.jsonl", '{"title": "A"}\nnot json\n{"x": 1}\n[1]\n\n{"text": "' + "b" * 50 + '"}\n{"text": "C"}\n')
    bad = []
    options = ReadOptions(max_characters=20, on_bad_row=lambda source, reason: bad.append((source, reason)))
    assert [document.text for document in read_path(path, options)] == ["A", "C"]
    assert [source.rsplit("#")[1] for source, _ in bad] == ["2", "3", "4", "6"]
    assert "not valid JSON" in bad[0][1]
    assert "no title, summary or content" in bad[1][1]


def test_leaves_out_a_summary_that_the_content_repeats(read_one):
    row = {"title": "T", "summary": "It began ...", "content": "It began on Monday."}
    assert read_one("a.jsonl", json.dumps(row)).text == "T\n\nIt began on Monday."


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_reads_csv_with_quoted_lines(write, delimiter):
    rows = [
        ["Title", "Summary", "Published"],
        ["A", '"one\nline, and; more"', "2024-01-02"],
        ["", "", ""],
        ["B", "x", ""],
    ]
    path = write("a.csv", "\r\n".join(delimiter.join(row) for row in rows))
    first, second = read_path(path)
    assert first.text == "A\n\none\nline, and; more"
    assert first.published_at == datetime(2024, 1, 2, tzinfo=UTC)
    assert second.text == "B\n\nx"


def test_reads_json_lists_and_single_articles(read_one):
    assert read_one("a.json", '{"articles": [{"title": "A", "content": "x"}]}').text == "A\n\nx"
    assert read_one("b.json", '{"title": "A", "content": "x"}').source.endswith("b.json#1")


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.json", '{"title": "A"', r"^a\.json:1: not valid JSON"),
        ("a.json", "{}", r"^a\.json: no readable text in it"),
        ("a.json", "[" * 100_000, r"^a\.json: nested too deeply to be read; flatten it"),
        (
            "a.jsonl",
            "nonsense\n",
            r"^a\.jsonl: no row could be read \(row 1: not valid JSON: a value is missing \(column 1\)",
        ),
        ("a.csv", "a,b\n", r"^a\.csv: no row could be read below the header"),
    ],
)
def test_says_what_is_wrong_with_the_whole_file(write, name, content, message):
    with pytest.raises(SourceError, match=message):
        list(read_path(write(name, content)))


@pytest.mark.parametrize(
    ("content", "texts", "bad"),
    [
        # to the end of the file, among texts and in a table
        (
            'title,content\na,x\nb,"y\nc,z\nd,w\n',
            ["a\n\nx", "c\n\nz", "d\n\nw"],
            {"3": "line 3 and not closed; the row"},
        ),
        (
            'no,price,city\n1,2,x\n"2,3,y\n3,4,z\n',
            ["no | price | city\n1 | 2 | x\n3 | 4 | z"],
            {"3": "line 3 and not closed"},
        ),
        # to the next quote
        (
            'no,price,city\n1,2,x\n"2,3,y\n3,4,z\n"4",5,w\n5,6,v\n',
            ["no | price | city\n1 | 2 | x\n3 | 4 | z\n4 | 5 | w\n5 | 6 | v"],
            {"3": "line 3 and not closed"},
        ),
        # of a file that was cut off
        (
            'title,content\na,x\nb,"cut off\nwithout an\nend',
            ["a\n\nx"],
            {"3": "3 lines up to the end of the file were left out"},
        ),
        # and a cell of several lines, which is as it should be
        ('title,content\na,"one, two\nthree, four\nfive"\nb,x\n', ["a\n\none, two\nthree, four\nfive", "b\n\nx"], {}),
    ],
)
def test_rows_behind_a_quote_that_is_not_closed_are_read_and_its_own_is_told(write, content, texts, bad):
    told = {}
    options = ReadOptions(on_bad_row=lambda source, reason: told.setdefault(source.rpartition("#")[2], reason))
    assert [document.text for document in read_path(write("a.csv", content), options)] == texts
    assert told.keys() == bad.keys()
    assert all(reason in told[row] for row, reason in bad.items())


STOCK = "sku,name,qty,shelf\nFR-101,Frame 54 cm,14,A1\nSD-520,Saddle Hazel,,D1\n"


def test_a_table_that_is_no_list_of_articles_keeps_every_column_under_its_header(read_one):
    document = read_one("stock.csv", STOCK)
    assert document.text == "sku | name | qty | shelf\nFR-101 | Frame 54 cm | 14 | A1\nSD-520 | Saddle Hazel | – | D1"
    assert document.source.endswith("stock.csv")


def test_a_table_without_a_column_that_is_known_is_read_too(read_one):
    assert read_one("a.tsv", "no\tcity\n1\tGraz\n2\tBonn | Köln\n").text == "no | city\n1 | Graz\n2 | Bonn|Köln"


def test_what_an_article_has_no_place_for_stands_at_its_end(read_one):
    document = read_one("a.csv", "title,content,author,source,sector\nA,It rose.,Ada,The News,energy\n")
    assert document.text == "A\n\nIt rose.\n\nsource: The News | sector: energy"
    assert document.author == "Ada"


def test_a_bad_row_of_a_table_is_told_and_the_others_are_read(write):
    bad = []
    path = write("a.csv", "a,b\n1,2\n1,2,3\n" + "x" * 90 + ",2\n3\n")
    options = ReadOptions(max_characters=80, on_bad_row=lambda *row: bad.append(row))
    (document,) = read_path(path, options)
    assert document.text == "a | b\n1 | 2\n1 | 2 | 3\n3 | –"
    assert [source.rsplit("#")[1] for source, _ in bad] == ["4"]
    assert bad[0][1] == "longer than 80 characters"


def test_a_long_table_is_read_in_parts_that_each_have_the_header(write):
    path = write("a.csv", "number,square\n" + "".join(f"{n},{n * n}\n" for n in range(40)))
    parts = list(read_path(path, ReadOptions(max_characters=120)))
    assert len(parts) > 2
    assert all(part.text.startswith("number | square\n") and len(part.text) <= 120 for part in parts)
    rows = [line for part in parts for line in part.text.split("\n")[1:]]
    assert rows == [f"{n} | {n * n}" for n in range(40)]
    assert parts[0].source.rsplit("#")[1].startswith("2-")
    assert len({part.source for part in parts}) == len(parts)
