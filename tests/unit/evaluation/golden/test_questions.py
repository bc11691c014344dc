import json
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ascertain.core.documents.documents import DocumentKind, DocumentRecord, DocumentState
from ascertain.core.errors import SourceError, UsageError
from ascertain.core.settings import Settings
from ascertain.evaluation.golden.questions import (
    GoldenQuestion,
    Relevant,
    build_set,
    check_golden,
    find_documents,
    find_quote,
    locate_golden,
    open_golden_home,
    read_golden,
    write_golden,
)
from ascertain.evaluation.sets.knowledge import Listener
from ascertain.evaluation.sets.suites import read_suite

TEXTS = {"d1": "Data is kept\nfor 72 hours.", "d2": "Prices: 5 euros.", "d3": "Data is kept for 72 hours!"}


def a_record(id="d1", source="/home/me/docs/rules.md", title="Rules", **more):
    moment = datetime(2024, 12, 5, tzinfo=UTC)
    return DocumentRecord(
        id, title, DocumentKind.PROSE, source, DocumentState.INDEXED, "", "h", 1, 10, "docs", moment, **more
    )


RECORDS = [
    a_record(),
    a_record("d2", "/home/me/docs/faq.csv#2", "Prices", url="https://example.org/faq/prices"),
    a_record("d3", "/elsewhere/copy.md", "Rules, again", duplicate_of="d1"),
]


def a_question(**more):
    known = {
        "id": "q1",
        "question": "How long?",
        "answers": ["72 hours"],
        "relevant": [{"source": "rules.md", "grade": 2}],
    }
    return GoldenQuestion.model_validate(known | more)


@pytest.mark.parametrize(
    ("source", "ids"),
    [
        ("docs/rules.md", ["d1", "d3"]),
        ("rules.md", ["d1", "d3"]),
        ("ules.md", []),
        ("faq.csv#2", ["d2"]),
        ("faq/prices", ["d2"]),
        ("Prices", ["d2"]),
        ("Price", []),
    ],
)
def test_a_document_is_named_by_the_end_of_its_path_or_its_title_with_its_near_duplicates(source, ids):
    assert [record.id for record in find_documents(source, RECORDS)] == ids


def test_a_quote_is_found_over_the_end_of_a_line():
    span = find_quote("kept for 72 hours", TEXTS["d1"])
    assert span is not None and span.of(TEXTS["d1"]) == "kept\nfor 72 hours"
    assert find_quote("72 days", TEXTS["d1"]) is None
    assert find_quote(" ", TEXTS["d1"]) is None


@given(before=st.text(max_size=20), quote=st.text(min_size=1, max_size=20), after=st.text(max_size=20))
def test_what_stands_in_a_text_is_found_there(before, quote, after):
    span = find_quote(quote, before + quote + after)
    assert (span is None) == (not quote.strip())
    if span is not None:
        found = span.of(before + quote + after)
        assert "".join(found.split()) == "".join(quote.split())


def test_questions_become_a_set_over_the_stored_documents():
    question = a_question(relevant=[{"source": "rules.md", "quote": "72 hours"}, {"source": "Prices", "grade": 1}])
    data = build_set("golden", [question], RECORDS, TEXTS)
    assert data.judgements["q1"] == {"/home/me/docs/rules.md": 2, "/elsewhere/copy.md": 2, "/home/me/docs/faq.csv#2": 1}
    (query,) = data.queries
    assert (query.gold_document, [span.of(TEXTS["d1"]) for span in query.gold]) == (
        "/home/me/docs/rules.md",
        ["72 hours"],
    )
    assert query.answers == ("72 hours",)


def test_a_document_that_is_not_there_is_told_with_the_question():
    with pytest.raises(UsageError, match=r"q1: no document is called 'x.md'; 'source' is the end of a path or a title"):
        build_set("golden", [a_question(relevant=[{"source": "x.md"}])], RECORDS, TEXTS)


def test_what_is_wrong_with_a_golden_set_is_listed():
    questions = [
        a_question(relevant=[{"source": "rules.md", "quote": "72 days"}, {"source": "x.md"}]),
        a_question(id="q2", relevant=[]),
        a_question(id="q3", answerable=False, relevant=[]),
        a_question(id="q4", answers=["90 days", "a season"]),
    ]
    assert check_golden(questions, RECORDS, TEXTS) == [
        "q1: rules.md does not say '72 days'",
        "q1: no document is called 'x.md'",
        "q2: answerable, but no document is named",
        "q4: none of its documents says '90 days' or 'a season'",
    ]


def test_a_golden_set_is_read_as_it_was_written(tmp_path):
    questions = [a_question(as_of="2024-12-05T18:00", history=[{"role": "user", "text": "Hm?"}]), a_question(id="q2")]
    write_golden(questions, tmp_path / "golden.jsonl")
    assert read_golden(tmp_path / "golden.jsonl") == questions
    assert json.loads((tmp_path / "golden.jsonl").read_text().splitlines()[1]) == {
        "id": "q2",
        "question": "How long?",
        "answers": ["72 hours"],
        "relevant": [{"source": "rules.md"}],
    }


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{", r"golden\.jsonl:1: .*Invalid JSON"),
        ('{"id": "a", "question": "q", "anwsers": []}', r"golden\.jsonl:1: anwsers: Extra inputs"),
        ('{"id": "a", "question": "q", "relevant": [{"source": "s", "grade": 9}]}', r"relevant\.0\.grade: .*less than"),
        ('{"id": "a", "question": "q"}\n{"id": "a", "question": "q"}', r"golden\.jsonl:2: the id 'a' was used before"),
        ("", "empty; it needs at least one question"),
    ],
)
def test_a_malformed_golden_set_is_named_with_its_line(tmp_path, line, message):
    (tmp_path / "golden.jsonl").write_text(line + "\n")
    with pytest.raises(SourceError, match=message):
        read_golden(tmp_path / "golden.jsonl")
    with pytest.raises(UsageError, match=r"gone\.jsonl: No such file.*or demo"):
        read_golden(tmp_path / "gone.jsonl")


def test_the_golden_set_that_ships_has_a_hundred_questions_and_says_that_no_person_validated_them():
    questions = read_golden(locate_golden(Path("demo")))
    assert (len(questions), sum(question.answerable for question in questions)) == (100, 93)
    assert [question.id for question in questions if not question.answerable and question.relevant] == []
    assert {relevant.grade for question in questions for relevant in question.relevant} == {1, 2}
    assert {(question.validated, question.validated_by) for question in questions} == {(True, "language model")}


def test_a_suite_is_read_with_paths_of_its_folder(tmp_path):
    suite = tmp_path / "suite.yaml"
    suite.write_text(
        "measure:\n  words: {kind: retrieval, golden: g.jsonl, strategy: keyword, every: 2}\n"
        "  demo: {kind: answers, golden: demo}\n  asked: {kind: asked, data: dev, types: [table]}\n"
    )
    orders = read_suite(suite)
    assert list(orders) == ["words", "demo", "asked"]
    assert (orders["words"].golden, orders["words"].strategy, orders["words"].every) == (
        tmp_path / "g.jsonl",
        "keyword",
        2,
    )
    assert (orders["demo"].golden, orders["asked"].data) == (Path("demo"), tmp_path / "dev")
    assert {order.every for order in read_suite(suite, every=5).values()} == {5}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("measure: [", "no YAML"),
        ("measure: {}", "measure: "),
        (
            "measure: {a: {kind: magic}}",
            r"measure\.a\.kind: Input should be 'retrieval', .*each entry of 'measure' has a kind",
        ),
        ("measure: {a: {kind: claims, set: x}}", r"measure\.a\.set: Extra inputs"),
        ("measure: {a/b: {kind: claims}}", "should match pattern"),
    ],
)
def test_a_malformed_suite_is_told(tmp_path, content, message):
    (tmp_path / "suite.yaml").write_text(content)
    with pytest.raises(UsageError, match=message):
        read_suite(tmp_path / "suite.yaml")


def test_relevant_documents_answer_unless_said_otherwise():
    assert Relevant(source="a").grade == 2


def test_the_demo_is_read_once_and_asked_again_from_where_it_is_kept(tmp_path):
    told = []
    listener = Listener(told.append, told.append)
    first = open_golden_home(Path("demo"), Settings(), tmp_path, listener)
    assert told == ["demo: reading its documents"]
    assert (
        open_golden_home(Path("demo"), Settings.model_validate({"retrieval": {"top_k": 3}}), tmp_path, listener).home
        == first.home
    )
    assert told == ["demo: reading its documents"]
    other = open_golden_home(
        Path("demo"), Settings.model_validate({"ingest": {"chunker": {"size": 300}}}), tmp_path, listener
    )
    assert other.home != first.home and len(told) == 2


def test_another_golden_set_is_asked_of_the_home_in_force(tmp_path):
    settings = Settings(home=tmp_path / "kb")
    assert open_golden_home(Path("golden.jsonl"), settings, None, Listener(print, print)) is settings
