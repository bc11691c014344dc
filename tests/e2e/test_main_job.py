"""Add, search, ask: what everybody does, through the real command."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from ascertain import Ascertain


def test_add_reports_what_it_did_and_what_failed(added, corpus):
    report = added[1].json
    assert (report["added"], report["changed"], report["unchanged"]) == (5, 0, 0)
    (failure,) = report["failures"]
    assert failure["source"] == str(corpus / "docs" / "broken.pdf")
    assert failure["reason"]


def test_search_finds_by_words_and_by_meaning(inline, home):
    by_code = inline("search", "GB-7731", "--strategy", "keyword", "--k", 1, "--home", home, "--json").json
    assert by_code["strategy"] == "keyword"
    (hit,) = by_code["results"]
    assert "GB-7731" in hit["text"]
    by_meaning = inline("--json", "--home", home, "search", "get my money back", "--strategy", "semantic").json
    assert by_meaning["results"][0]["title"] == "Refunds"
    assert all(0 <= result["score"] <= 1 for result in by_meaning["results"])


def test_an_answer_quotes_the_stored_text_exactly(shell, home):
    answer = shell("ask", "Within how many days is a refund granted?", "--home", home, "--json").json
    assert "within 30 days" in answer["answer"]
    assert answer["type"] == "summary"
    with Ascertain.open(home, environ={}) as knowledge:
        for citation in answer["citations"]:
            start, end = citation["span"]
            document = knowledge.document(citation["document_id"])
            assert document is not None
            assert document.text[start:end] == citation["quote"]
    numbers = {citation["n"] for citation in answer["citations"]}
    assert all(set(sentence["citations"]) <= numbers for sentence in answer["sentences"])


def test_an_answer_for_people_shows_the_quote_in_its_place(shell, home):
    shown = shell("ask", "How often does Ben feed his sourdough starter?", "--home", home)
    assert shown.code == 0
    assert "[1]" in shown.out
    assert "Ben Ito, 00:06" in shown.out
    assert "feed my sourdough starter **twice a day**, with equal weights of flour and water.»" in shown.out
    assert "Confidence:" in shown.out
    assert "\x1b" not in shown.out
    assert not any(box in shown.out for box in "─│╭┌")


def test_what_is_not_there_is_not_answered(inline, home):
    answer = inline("ask", "Who won the chess world championship in 1972?", "--home", home, "--json").json
    assert answer["type"] == "rejection"
    assert answer["citations"] == []
    assert answer["answer"]


def test_a_date_in_the_question_is_kept_to(inline, home):
    asked = ("ask", "What opened today?", "--home", home, "--json")
    answer = inline(*asked, "--as-of", "2024-12-05T18:00").json
    assert "Tram line 9" in answer["answer"]
    assert {citation["published_at"][:10] for citation in answer["citations"]} == {"2024-12-05"}


def test_a_date_with_nothing_is_said_and_dropped(inline, home):
    answer = inline(
        "ask", "Is the harbour bridge closed today?", "--home", home, "--json", "--as-of", "2024-12-09"
    ).json
    assert "harbour bridge closed" in answer["answer"]
    assert answer["answer"].startswith(
        "Nothing that was found is dated 9 December 2024; the newest found is from 2 December 2024."
    )
    assert answer["confidence"]["level"] == "low"


def test_explain_prints_the_decisions(inline, home):
    shown = inline("ask", "What does GB-7731 mean?", "--explain", "--home", home)
    assert "Decisions (" in shown.out
    assert "compose:" in shown.out


@pytest.mark.parametrize(
    ("options", "titles"),
    [
        (("--kind", "transcript"), {"Bread"}),
        (("--since", "2024-12-01", "--before", "2024-12-04"), {"Harbour bridge closes for repairs"}),
        (("--tag", "nothing-has-this"), set()),
    ],
)
def test_filters_limit_what_is_searched(inline, home, options, titles):
    found = inline("search", "bridge tram sourdough oil", "--k", 20, "--home", home, "--json", *options)
    assert {result["title"] for result in found.json["results"]} == titles


def test_a_source_filter_takes_a_path_as_typed(inline, home, corpus):
    found = inline("search", "bridge", "--source", corpus / "news" / "feed.jsonl", "--home", home, "--json").json
    assert {result["url"] for result in found["results"]} <= {row["url"] for row in _story(corpus)}
    assert found["results"]


def test_batch_answers_in_order_and_remembers_the_conversation(shell, own, tmp_path):
    questions = [
        {"question": "How often is the sourdough starter fed?", "conversation_id": "bread"},
        {"question": "What does GB-7731 mean?"},
        {"question": "Who feeds it?", "conversation_id": "bread"},
    ]
    (tmp_path / "questions.jsonl").write_text("\n".join(map(json.dumps, questions)) + "\n\n", encoding="utf-8")
    answers = shell("ask", "--batch", "questions.jsonl", "--home", own).lines
    assert [answer["question"] for answer in answers] == [question["question"] for question in questions]
    assert [answer["conversation_id"] for answer in answers] == ["bread", None, "bread"]
    assert any("sourdough" in decision["outcome"] for decision in answers[2]["decisions"])
    piped = shell("ask", "--batch", "-", "--home", own, stdin='{"question": "What does GB-7731 mean?"}')
    assert piped.json["answer"] == answers[1]["answer"]


def test_adding_again_skips_what_is_there_and_sync_deletes_what_is_gone(inline, corpus, tmp_path):
    files = tmp_path / "files"
    shutil.copytree(corpus / "docs", files)
    (files / "broken.pdf").unlink()
    assert inline("add", files, "--json").json["added"] == 2
    (files / "refunds.md").write_text("# Refunds\n\nRefunds are granted within 60 days.\n", encoding="utf-8")
    (files / "gearbox.md").unlink()
    again = inline("add", files, "--sync", "--json").json
    assert (again["added"], again["changed"], again["deleted"]) == (0, 1, 1)
    assert "60 days" in inline("ask", "Within how many days are refunds granted?", "--json").json["answer"]
    assert inline("add", files).out.startswith("1 unchanged")


def test_the_installed_script_is_the_same_command(tmp_path):
    script = Path(sys.executable).with_name("ascertain")
    shown = subprocess.run([script, "--version"], capture_output=True, text=True, cwd=tmp_path, check=True)
    assert shown.stdout.startswith("ascertain ")


def _story(corpus: Path) -> list[dict[str, str]]:
    lines = (corpus / "news" / "feed.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]
