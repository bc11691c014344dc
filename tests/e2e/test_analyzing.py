"""``ascertain analyze`` from the shell."""

from __future__ import annotations

import json
from itertools import count

import pytest

ARTICLES = [
    (
        "Solana upgrade a success",
        "The Solana upgrade was a great success. Solana rose 5 % to $150 on 2 June 2025.",
        "Northwire",
        "2025-06-02",
    ),
    (
        "Outage angers users",
        "The Solana outage was a disaster. Solana fell 9 % to $136 on 4 June 2025.",
        "The Quoin",
        "2025-06-04",
    ),
    ("Solana higher", "Solana rose 3 % on 4 June 2025, and users are happy.", "Harbour Post", "2025-06-04"),
    (
        "What comes next",
        "Ines Okafor expects Solana to rise to $200 by the end of the year.",
        "Harbour Post",
        "2025-06-05",
    ),
]


@pytest.fixture
def filled(inline, tmp_path):
    numbers = count()
    rows = [
        {
            "title": title,
            "content": text,
            "source": source,
            "published_at": f"{day}T09:00:00Z",
            "url": f"https://n.example/{next(numbers)}",
        }
        for title, text, source, day in ARTICLES
    ]
    file = tmp_path / "articles.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    outcome = inline("add", file, "--profile", "news")
    assert outcome.code == 0, outcome.err
    return inline


QUESTION = (
    "analyze",
    "how did sentiment on solana change in the last 30 days?",
    "--as-of",
    "2025-06-15",
    "--profile",
    "news",
)


def test_prints_what_was_read_then_what_it_says_with_quotations(filled):
    shown = filled(*QUESTION)
    assert shown.code == 0, shown.err
    caveat, _, answer = shown.out.partition("\n\n")
    assert caveat.startswith("Only 4 documents on this.")
    assert answer.startswith("Read 4 of 4 articles dated 16 May 2025 to 15 June 2025; 4 are on “solana”.")
    assert "Solana on 4 June 2025: one says that it rose, the other that it fell:" in shown.out
    assert "[speculation] Ines Okafor expects Solana to rise to $200" in shown.out
    assert "«The Solana outage was a disaster.»" in shown.out


def test_json_has_the_documents_behind_each_figure(filled):
    found = filled(*QUESTION, "--json").json
    assert found["coverage"]["read"] == 4
    assert sum(len(share["documents"]) for share in found["findings"]["shares"]) == 4
    assert [move["percent"] for move in found["findings"]["moves"]] == [5.0, 9.0, 3.0]
    assert found["findings"]["forecasts"][0]["is_speculation"] is True


@pytest.mark.parametrize("name", ["chart.svg", "chart.png"])
def test_draws_a_chart(filled, tmp_path, name):
    shown = filled(*QUESTION, "--chart", tmp_path / name)
    assert shown.code == 0, shown.err
    head = (tmp_path / name).read_bytes()[:300]
    assert head.startswith(b"\x89PNG") if name.endswith("png") else b"<svg" in head or b"<?xml" in head


def test_a_chart_of_another_kind_is_refused(filled, tmp_path):
    shown = filled(*QUESTION, "--chart", tmp_path / "chart.pdf")
    assert shown.code == 2
    assert "ends neither in .svg nor in .png" in shown.err
