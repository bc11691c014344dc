import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ascertain.core.errors import SourceError, UsageError
from ascertain.evaluation.asked import (
    AskedQuestion,
    asked_metrics,
    build_result,
    group_results,
    read_answers,
    read_asked,
)
from ascertain.evaluation.measures.paraphrases import holds_words, plain_words


def a_question(**more):
    known = {
        "id": "q1",
        "question": "how long?",
        "corpus": "notes",
        "type": "number",
        "must": [["72 hours", "three days"]],
    }
    return AskedQuestion.model_validate(known | more)


def an_answer(*sentences, kind="summary", score=80.0, **citation):
    cited = {
        "n": 1,
        "title": "Rules",
        "source": "docs/rules.md",
        "url": None,
        "published_at": "2025-06-03T10:00:00+00:00",
    }
    place = {"place": {"label": "Ana Berg, 03:46"}}
    return {
        "answer": " ".join(f"{sentence} [1]" for sentence in sentences),
        "type": kind,
        "confidence": {"score": score},
        "sentences": [{"text": sentence, "citations": [1]} for sentence in sentences],
        "citations": [cited | place | citation] if sentences else [],
        "seconds": 0.5,
    }


REJECTION = an_answer(kind="rejection", score=20.0)


def scores_of(question, answer):
    return {name: score for name, score in build_result(question, answer).scores.items() if score is not None}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("It costs 1,050,000 – 12.5 %!", "it costs 1050000 12.5 percent"),
        ("5 per cent, Café", "5 percent cafe"),
        ("End. Next 3.1.2", "end next 3.1.2"),
        ("so\u00adft_hyphen’s", "soft hyphen s"),
    ],
)
def test_text_is_compared_by_words_and_figures(text, expected):
    assert plain_words(text) == expected


@pytest.mark.parametrize(
    ("string", "held"),
    [
        ("72", True),
        ("7", False),
        ("hours", True),
        ("hour", False),
        ("hour*", True),
        ("2 hours", False),
        ("72 Hours!", True),
    ],
)
def test_a_string_is_found_as_whole_words(string, held):
    assert holds_words(plain_words("After 72 hours."), string) is held


@given(text=st.text(max_size=60))
def test_plain_words_are_plain_already(text):
    assert "  " not in plain_words(text) and plain_words(text) == plain_words(text).strip()


def test_an_answer_that_has_all_is_right_and_good():
    question = a_question(first=[["72 hours"]], sources=["rules"], dates=["2025-06-01..2025-06-05"], max_sentences=1)
    full = dict.fromkeys(("ok", "good", "right", "first", "concise", "source_ok", "date_ok"), 1.0)
    assert scores_of(question, an_answer("It is kept 72 hours.")) == full | {
        "false_decline": 0.0,
        "sentences": 1.0,
        "words": 5.0,
    }


@pytest.mark.parametrize(
    ("question", "answer", "wrong"),
    [
        (a_question(), an_answer("It is kept two days."), {"ok", "good", "right"}),
        (a_question(must_not=["years"]), an_answer("72 hours, or years."), {"ok", "good", "right"}),
        (a_question(first=[["72"]]), an_answer("Well.", "72 hours."), {"good", "first"}),
        (a_question(max_sentences=1), an_answer("72 hours.", "Or so."), {"good", "concise"}),
        (a_question(sources=["other"]), an_answer("72 hours."), {"good", "source_ok"}),
        (a_question(dates=["2025-06-04"]), an_answer("72 hours."), {"good", "date_ok"}),
        (a_question(dates=["2025-06-03"]), an_answer("72 hours.", published_at=None), {"good", "date_ok"}),
    ],
)
def test_what_is_wrong_with_an_answer_is_told(question, answer, wrong):
    scores = scores_of(question, answer)
    assert {name for name, score in scores.items() if score == 0 and name != "false_decline"} == wrong


def test_a_name_may_stand_at_the_citation():
    question = a_question(must=[["Ana Berg"]])
    assert scores_of(question, an_answer("It will rain."))["right"] == 0
    at_citation = a_question(must=[["Ana Berg"]], first=[["Berg"]], where="citation")
    assert scores_of(at_citation, an_answer("It will rain."))["good"] == 1


def test_declining_is_right_where_nothing_is_known_and_wrong_where_something_is():
    assert scores_of(a_question(expect="decline"), REJECTION) == {
        **dict.fromkeys(("ok", "good", "right_decline"), 1.0),
        "false_answer": 0.0,
    }
    assert scores_of(a_question(expect="decline"), an_answer("72 hours."))["false_answer"] == 1
    declined = scores_of(a_question(first=[["72"]]), REJECTION)
    assert declined == {"ok": 0, "good": 0, "right": 0, "false_decline": 1, "first": 0}
    assert scores_of(a_question(or_decline=True, first=[["72"]]), REJECTION) == {
        **dict.fromkeys(("ok", "good", "right"), 1.0),
        "false_decline": 0.0,
    }


def test_the_figures_of_some_results():
    results = [
        build_result(a_question(), an_answer("72 hours.", score=90.0)),
        build_result(a_question(id="q2", tags=["typo"]), an_answer("Two days.", score=30.0)),
        build_result(a_question(id="q3", expect="decline", type="far"), REJECTION),
    ]
    figures = asked_metrics(results)
    assert figures["ok"] == pytest.approx(2 / 3)
    assert figures["right"] == 0.5
    assert (figures["auroc_right"], figures["auroc_answerable"]) == (1.0, 1.0)
    assert figures["calibration_error"] == pytest.approx(0.2)
    assert [list(group_results(results, by)) for by in ("corpus", "type", "tag")] == [
        ["notes"],
        ["far", "number"],
        ["typo"],
    ]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{", r"questions\.jsonl:2: .*Invalid JSON"),
        ('{"id": "a", "question": "q"}', r"questions\.jsonl:2: corpus: Field required"),
        ('{"id": "a", "question": "q", "corpus": "c", "as_of": "soon"}', r"questions\.jsonl:2: 'as_of' is no date"),
    ],
)
def test_a_malformed_question_is_named_with_its_line(tmp_path, line, message):
    (tmp_path / "questions.jsonl").write_text("\n" + line + "\n")
    with pytest.raises(SourceError, match=message):
        read_asked(tmp_path)


def test_a_folder_without_questions_is_told(tmp_path):
    with pytest.raises(UsageError, match=r"questions\.jsonl: not found; --data names a folder"):
        read_asked(tmp_path)


def test_answers_are_read_from_a_run_or_from_lines(tmp_path):
    rows = [{"id": "q1", "answer": REJECTION}]
    (tmp_path / "run.json").write_text(json.dumps({"rows": rows}))
    (tmp_path / "lines.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    (tmp_path / "bad.json").write_text("[1]")
    assert read_answers(tmp_path / "run.json") == read_answers(tmp_path / "lines.jsonl") == {"q1": REJECTION}
    with pytest.raises(SourceError, match="each row needs 'id' and 'answer'"):
        read_answers(tmp_path / "bad.json")
