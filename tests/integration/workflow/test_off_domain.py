"""Questions that the documents say nothing of, with and without a chat model, good or poor."""

from __future__ import annotations

import re
from importlib.resources import files
from pathlib import Path

import pytest

from ascertain.app.ascertain import Ascertain
from ascertain.core.asking.answers import AnswerType
from ascertain.core.settings import ChatSettings, ModelSettings, Settings

WEATHER = "What is the weather in Paris today?"
ANSWERED = ["How should the time of a dentist's appointment next May be stored?", "What is a leap second?"]
HALF_ANSWERED = "Why do offsets not say which time zone it is?"
"""Its evidence is of medium strength."""


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    """A transcript on time zones, which names Paris and speaks of appointments and of winter."""
    path = tmp_path_factory.mktemp("kb")
    with Ascertain(Settings(home=path)) as knowledge:
        talk = Path(str(files("ascertain") / "data" / "demo_corpus" / "podcasts" / "Time-zones-and-leap-seconds.json"))
        knowledge.add([talk], profile="podcasts")
    return path


@pytest.fixture
def ask(home, scripted_chat_server):
    def offline_or_with_model(question, model=True):
        chat = ChatSettings(model="openai:tiny", base_url=scripted_chat_server.base_url, retries=0)
        models = ModelSettings(chat=chat) if model else ModelSettings()
        with Ascertain(Settings(home=home, models=models)) as knowledge:
            return knowledge.ask(question, use_cache=False)

    return offline_or_with_model


def finds_nothing(request):
    """A model that finds no passage of use, whatever is asked, and declines to write."""
    keys = dict.fromkeys(re.findall(r'(?:key|id)="([A-Z]\d+)"', request.text))
    replies = {
        "UnderstandingReply": {
            **{"is_follow_up": False, "standalone": "", "intent": "knowledge", "type": "factual"},
            **{"complexity": "simple", "expand": False},
        },
        "JudgementReply": {
            "passages": [{"key": key, "score": 0} for key in keys],
            **{"score": 0, "issues": ["off_topic"], "missing": [], "reason": "no passage speaks of it"},
        },
        "RefinementReply": {"query": "something else altogether", "reason": "none"},
        "WritingReply": {"sentences": []},
        "ClaimsReply": {"verdicts": []},
        "EvaluationReply": {"relevance": 0, "completeness": 0, "issues": [], "comment": "none"},
    }
    return replies[request.schema]


def test_a_name_alone_is_no_answer(ask):
    answer = ask(WEATHER, model=False)
    assert (answer.type, answer.sentences, answer.confidence.score) == (AnswerType.REJECTION, (), 0)
    assert "weather" in answer.text


def test_that_a_model_finds_nothing_on_the_subject_is_final(ask, scripted_chat_server):
    scripted_chat_server.reply_by(finds_nothing)
    answer = ask(WEATHER)
    assert (answer.type, answer.sentences) == (AnswerType.REJECTION, ())


@pytest.mark.parametrize("question", ANSWERED)
def test_a_model_that_finds_nothing_for_any_question_silences_no_strong_evidence(ask, scripted_chat_server, question):
    assert ask(question, model=False).type is AnswerType.SUMMARY
    scripted_chat_server.reply_by(finds_nothing)
    answer = ask(question)
    assert answer.type is not AnswerType.REJECTION
    assert answer.citations


def test_a_model_that_finds_no_answer_twice_declines(ask, scripted_chat_server):
    assert ask(HALF_ANSWERED, model=False).type is AnswerType.SUMMARY
    scripted_chat_server.reply_by(finds_nothing)
    answer = ask(HALF_ANSWERED)
    assert (answer.type, answer.sentences) == (AnswerType.REJECTION, ())
    # read, and worded again, which found the same passages
    assert answer.usage.calls == 2


@pytest.mark.parametrize("intent", ["greeting", "out_of_scope"])
def test_a_model_that_takes_every_question_for_none_silences_no_document(ask, scripted_chat_server, intent):
    plan = {"intent": intent, "type": "factual", "complexity": "simple", "expand": False}
    scripted_chat_server.reply_by(
        lambda request: plan if request.schema == "UnderstandingReply" else finds_nothing(request)
    )
    answer = ask(ANSWERED[0])
    assert answer.type is not AnswerType.REJECTION
    assert answer.type is not AnswerType.GREETING
