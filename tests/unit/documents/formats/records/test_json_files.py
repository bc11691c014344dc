import json

import pytest

from ascertain.core.documents.blocks import BlockKind
from ascertain.core.errors import SourceError
from ascertain.documents.sources.files import ReadOptions, read_path


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (
            [{"id": 1, "boat": "Alma", "fee": 120}, {"id": 2, "boat": "Berta", "fee": 90.0, "note": "pays late"}],
            "id | boat | fee | note\n1 | Alma | 120 | –\n2 | Berta | 90.0 | pays late",
        ),
        ([{"Name": "Alder", "Price": 310}, {"Name": "Birch", "Price": 275}], "Name | Price\nAlder | 310\nBirch | 275"),
        (
            {"data": [{"name": "Ada", "address": {"city": "Graz", "zip": 8010}, "tags": ["a", "b"], "ok": True}]},
            "name | address.city | address.zip | tags | ok\nAda | Graz | 8010 | a, b | true",
        ),
        ({"columns": ["a", "b"], "index": [0, 1], "data": [[1, 2], [3, 4]]}, "a | b\n1 | 2\n3 | 4"),
        ({"a": [1, 2], "b": ["x", "y"]}, "a | b\n1 | x\n2 | y"),
        ({"a": {"0": 1, "1": 2}, "b": {"0": "x", "1": "y"}}, "a | b\n1 | x\n2 | y"),
        (
            {"alma": {"fee": 1, "m": 8}, "berta": {"fee": 2, "m": 7}, "cora": {"fee": 3, "m": 9}},
            "– | fee | m\nalma | 1 | 8\nberta | 2 | 7\ncora | 3 | 9",
        ),
        ([["boat", "fee"], ["Alma", 120]], "boat | fee\nAlma | 120"),
        (
            {
                "type": "FeatureCollection",
                "features": [
                    {"type": "Feature", "properties": {"name": "Alta"}, "geometry": {"type": "Point", "coordinates": [23.3, 69.9]}}
                ],
            },
            "name | geometry | coordinates\nAlta | Point | 23.3, 69.9",
        ),
        (
            {"name": "app", "server": {"port": 8080, "tls": {"on": False}}, "hosts": [{"ip": "::1"}, {"ip": "::2"}], "tags": ["a", "b"]},
            "name: app\n\nserver\nserver.port: 8080\nserver.tls.on: false\n\nhosts\n\nip\n::1\n::2\ntags: a, b",
        ),
        ([1, "two"], "- 1\n- two"),
        ({"x": 1}, "x: 1"),
    ],
)  # fmt: skip
def test_any_shape_is_read(read_one, value, text):
    assert read_one("a.json", json.dumps(value)).text == text


def test_settings_stand_under_their_first_key(read_one):
    document = read_one("a.json", json.dumps({"server": {"port": 8080}, "log": {"level": "info"}}))
    assert [block.span.of(document.text) for block in document.blocks_of(BlockKind.HEADING)] == ["server", "log"]
    assert document.tree.place_at(document.text.index("info")).section == ("log",)


def test_several_lists_of_records_are_several_tables(read_one):
    value = {"boats": [{"name": "Alma", "m": 8}], "crew": [{"name": "Ada", "age": 40}]}
    document = read_one("a.json", json.dumps(value))
    assert document.text == "boats\n\nname | m\nAlma | 8\n\ncrew\n\nname | age\nAda | 40"
    assert len(document.blocks_of(BlockKind.TABLE)) == 2


def test_lines_of_records_are_one_table_and_bad_lines_are_told(write):
    bad = []
    path = write("a.jsonl", '{"id": 1, "boat": "Alma"}\nno json\n{"id": 2, "fee": 90}\n[3, 4]\n')
    (document,) = read_path(path, ReadOptions(on_bad_row=lambda *row: bad.append(row)))
    assert document.text == "id | boat | fee | column 4\n1 | Alma | – | –\n2 | – | 90 | –\n– | – | – | 3, 4"
    assert [source.rpartition("#")[2] for source, _ in bad] == ["2"]


def test_a_long_list_is_read_in_parts(write):
    path = write("a.json", json.dumps([{"number": n, "square": n * n} for n in range(40)]))
    parts = list(read_path(path, ReadOptions(max_characters=330)))
    assert len(parts) > 1
    assert all(part.text.startswith("number | square\n") for part in parts)
    assert sum(part.text.count("\n") for part in parts) == 40


def test_articles_keep_their_other_fields(read_one):
    value = {"title": "A", "content": "It rose.", "sector": "energy", "prices": {"open": 1.5}}
    assert read_one("a.json", json.dumps([value])).text == "A\n\nIt rose.\n\nsector: energy | prices: open: 1.5"


def test_every_value_is_stored_under_its_key(read_one):
    value = {
        "w001": {"w002": "w003", "w004": [1, "w005", None, True, {"w006": "w007"}], "w008": {}, "w009": [], "w010": None},
        "w011": [["w012", "w013"], ["w014"]],
        "w015": [{"w016": "w017", "w018": {"w019": "w020"}}, {"w021": ["w022"]}],
        "w023": "w024\nw025",
        "w026": [[["w027"]]],
        "w028": False,
    }  # fmt: skip
    text = read_one("a.json", json.dumps(value)).text
    for number in range(2, 29):
        assert text.count(f"w{number:03d}") == 1, number
    assert "w012 | w013\nw014 | –" in text and "w028: false" in text and "w010:" in text


def test_every_field_of_an_article_is_stored(read_one):
    value = {
        "title": f"w001 {'long ' * 80}w015",
        "content": ["w002", {"w003": "w004"}],
        "summary": "w005",
        "author": {"first": "w006", "last": "w007"},
        "source": "w008",
        "link": "w009/w010",
        "tags": [{"name": "w011"}],
        "more": {"w012": ["w013"]},
        "date": "w014",
    }
    document = read_one("a.json", json.dumps([value]))
    for number in range(2, 16):
        assert document.text.count(f"w{number:03d}") == 1, number


def test_comments_and_trailing_commas_are_overlooked(read_one):
    text = '{\n  // the port\n  "port": 8080, /* or 9090 */\n  "url": "http://a/*b*/", \n}'
    assert read_one("a.json", text).text == "port: 8080\nurl: http://a/*b*/"


@pytest.mark.parametrize("text", ['{"a": "' + '\\"' * 50_000, "/*" * 50_000, "[" + ",/" * 50_000, '"' * 99_999])
def test_what_is_damaged_is_refused_in_linear_time(write, text):
    with pytest.raises(SourceError, match=r"^a\.json:\d+: not valid JSON"):
        list(read_path(write("a.json", text)))
