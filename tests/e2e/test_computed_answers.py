"""Questions to tables through the real command."""

from __future__ import annotations

import json

import pytest

SALES = """day,region,product,units,revenue_eur
2025-01-03,North,Oak chair,4,360.00
2025-01-19,South,Oak chair,2,180.00
2025-02-02,North,Pine table,1,240.00
2025-02-14,West,Pine table,3,720.00
2025-03-01,South,Oak chair,6,540.00
Total,,,16,2040.00
"""
CREW = """# Crew

The kitchen is small, and everybody helps.

| Name | Role | Wage |
|---|---|---|
| Ola Berg | Head cook | $31.00 |
| Una Fox | Apprentice | $15.00 |
"""


@pytest.fixture
def home(inline, tmp_path):
    """A knowledge base with a file of sales and a page with a table."""
    files = tmp_path / "files"
    files.mkdir()
    (files / "sales.csv").write_text(SALES, "utf-8")
    (files / "crew.md").write_text(CREW, "utf-8")
    assert inline("add", files, "--home", "kb").code == 0
    return "kb"


def test_ask_computes_says_what_it_took_to_mean_and_cites_the_rows(inline, home):
    answer = inline("ask", "What was the total revenue in the south in 2025?", "--home", home, "--json").json
    assert (
        answer["answer"]
        == "The total of revenue_eur is 720.00, over 2 of 5 rows of sales.csv, where day is in 2025 and region is “South”."
    )
    quotes = [citation["quote"] for citation in answer["citations"]]
    assert quotes == [
        "day | region | product | units | revenue_eur",
        "2025-01-19 | South | Oak chair | 2 | 180.00",
        "2025-03-01 | South | Oak chair | 6 | 540.00",
    ]
    assert answer["computation"]["value"] == 720.0
    assert answer["confidence"]["level"] == "high"


def test_the_cell_that_answers_is_marked_and_the_trace_tells_the_query(inline, home):
    shown = inline("ask", "What is the wage of the head cook?", "--home", home, "--trace").out
    assert "Wage is **$31.00** for Ola Berg" in " ".join(shown.split())
    assert "Ola Berg | Head cook | **$31.00**" in " ".join(shown.split())
    assert "computed over a table: looked up rows of crew.md" in " ".join(shown.split())


def test_a_row_of_the_like_is_never_sure(inline, home):
    answer = inline("ask", "What is the wage of the new night cook?", "--home", home, "--json").json
    assert answer["computation"] is None
    assert answer["confidence"]["level"] != "high"


def test_charts_of_groups(inline, home, tmp_path):
    pytest.importorskip("matplotlib")
    drawn = inline("ask", "revenue by product", "--home", home, "--chart", "a.svg", "--json")
    assert [(group["name"], group["value"]) for group in drawn.json["computation"]["groups"]] == [
        ("Oak chair", 1080.0),
        ("Pine table", 960.0),
    ]
    assert (tmp_path / "a.svg").read_text("utf-8").startswith("<?xml")
    without = inline("ask", "What is the wage of the head cook?", "--home", home, "--chart", "b.png")
    assert "No chart" in without.err
    assert not (tmp_path / "b.png").exists()
    wrong = inline("ask", "revenue by product", "--home", home, "--chart", "a.pdf")
    assert wrong.code != 0
    assert "neither in .svg nor in .png" in wrong.err


def test_an_answer_from_the_cache_keeps_its_figures(inline, home):
    first = inline("ask", "units by region", "--home", home, "--json").json
    again = inline("ask", "units by region", "--home", home, "--json").json
    assert again["is_cached"]
    assert again["computation"] == first["computation"]


def test_a_changed_file_is_computed_anew(inline, home, tmp_path):
    question = "how many sales were there in the west?"
    assert inline("ask", question, "--home", home, "--json").json["computation"]["rows"] == 1
    (tmp_path / "files" / "sales.csv").write_text(SALES.replace("South", "West"), "utf-8")
    assert inline("add", "files", "--home", home).code == 0
    assert inline("ask", question, "--home", home, "--json").json["computation"]["rows"] == 3


def test_batches_take_questions_to_tables_among_others(inline, home):
    lines = [
        json.dumps({"question": text})
        for text in ("How many sales had more than 3 units?", "What is said of the kitchen?")
    ]
    counted, said = inline("ask", "--batch", "-", "--home", home, stdin="\n".join(lines)).lines
    assert counted["computation"]["value"] == 2
    assert said["computation"] is None
