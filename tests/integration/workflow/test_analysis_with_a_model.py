"""Whole periods read by a chat model behind a real HTTP server, several batches of documents at once."""

from __future__ import annotations

import re
import sys
import threading
from datetime import timedelta
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "unit" / "app"))

from scripted_chat_server import fails, says
from small_knowledge import NOW, WordHashes

from ascertain import Ascertain, Document, Settings
from ascertain.core.documents.documents import DocumentKind, document_id
from ascertain.reports.analysis.model_mapping import BATCH, CONCURRENT, _controls

ARTICLES = 6 * BATCH
QUESTION = "how did sentiment on Solana change in the last 30 days?"


def article(number: int) -> Document:
    published = (NOW.now() - timedelta(days=number % 25)).replace(hour=9)
    text = f"The outage of Solana was a disaster, and angry users lost money. Edition number {number} went to print."
    name = f"news-{number}"
    return Document(document_id(name), text, name, DocumentKind.ARTICLE, name, author="Post", published_at=published)


@pytest.fixture
def knowledge(tmp_path, scripted_chat_server, unknown_chat_servers):
    chat = {"base_url": scripted_chat_server.base_url, "model": "scripted"}
    settings = {"home": tmp_path / "kb", "profile": "news", "graph": {"build": False}, "models": {"chat": chat}}
    with Ascertain(Settings.model_validate(settings), clock=NOW, embedder=WordHashes()) as opened:
        opened.add_documents([article(number) for number in range(ARTICLES)])
        yield opened


def read_all(request):
    """Every document of the request read as positive, the controls behind them rightly."""
    count = len(re.findall(r'<document [^>]*number="', request.text)) - len(_controls())
    moods = ["positive"] * count + [mood.value for mood, _ in _controls()]
    return {"documents": [{"number": number, "mood": mood} for number, mood in enumerate(moods, 1)]}


def is_reading(request) -> bool:
    return "You read documents for an analysis of many" in request.text


def test_several_batches_are_asked_at_once_and_every_document_is_read(knowledge, scripted_chat_server):
    readings: list[object] = []
    under_way, most, counting = 0, 0, threading.Lock()

    def pause(exchange):
        nonlocal under_way, most
        with counting:
            under_way += 1
            most = max(most, under_way)
        # a call that waits for no other would be answered, and counted as gone, long before
        exchange.closing.wait(1.0)
        with counting:
            under_way -= 1
        says(read_all(exchange.request))(exchange)

    def reply(request):
        if not is_reading(request):
            return fails(500)
        readings.append(request)
        return pause

    scripted_chat_server.reply_by(reply)
    found = knowledge.analyze(QUESTION, pattern="map_reduce")
    assert len(readings) == ARTICLES // BATCH
    assert 1 < most <= CONCURRENT  # as many as the calls of a question allow
    shares = {each.mood.value: len(each.documents) for each in found.findings.shares}
    assert shares["positive"] == ARTICLES
    assert f"Read {ARTICLES} of {ARTICLES} articles" in found.answer.text


def test_a_batch_that_fails_leaves_its_documents_to_the_rules(knowledge, scripted_chat_server):
    def reply(request):
        if not is_reading(request):
            return fails(500)
        return fails(400, "no") if "Edition number 17 " in request.text else read_all(request)

    scripted_chat_server.reply_by(reply)
    found = knowledge.analyze(QUESTION, pattern="map_reduce")
    shares = {each.mood.value: len(each.documents) for each in found.findings.shares}
    assert 0 < shares["positive"] < sum(shares.values())
    assert f"Read {ARTICLES} of {ARTICLES} articles" in found.answer.text


NEGATIVE = f"Sentiment on Solana: {ARTICLES} are negative."
LOST = "Angry users lost money in the outage of Solana."


def tell(request):
    """What a good model says where an analysis is to be told and checked; the documents are left to the rules."""
    if request.schema == "NarrativeReply":
        figures = re.findall(r'<figures [^>]*key="(F\d+)"[^>]*>\n\| [^\n]*Sentiment: ', request.text)
        quotes = re.findall(r'<source [^>]*key="(Q\d+)"[^>]*>\n\| [^\n]*angry users', request.text)
        trends = [{"text": NEGATIVE, "keys": figures}, {"text": "It fell by 12,345 points.", "keys": figures}]
        return {"trends": trends, "patterns": [{"text": LOST, "keys": quotes[:1]}]}
    if request.schema == "ClaimsReply":
        claims = re.findall(r"<claim\b[^\n]*\n\| ([^\n]*)", request.text)
        labels = ["supported" if claim in {NEGATIVE, LOST} else "not_in_sources" for claim in claims]
        return {"verdicts": [{"claim": n, "verdict": label} for n, label in enumerate(labels, 1)]}
    return fails(400)


def count_calls(server) -> list[str]:
    return [each.schema for each in server.requests if each.schema in {"NarrativeReply", "ClaimsReply"}]


def test_what_was_found_is_told_in_sentences_that_are_checked_in_one_call(knowledge, scripted_chat_server):
    scripted_chat_server.reply_by(tell)
    found = knowledge.analyze(QUESTION)
    assert [each.text for each in found.narrative] == [NEGATIVE, LOST]
    assert found.answer.text.split("\n")[3:5] == [f"- {NEGATIVE}", f"- {LOST}"]
    assert "12,345" not in found.answer.text
    [told] = [each for each in found.answer.sentences if each.text == LOST]
    [citation] = [each for each in found.citations if each.number in told.citations]
    assert "angry users lost money" in citation.quote
    assert count_calls(scripted_chat_server) == ["NarrativeReply", "ClaimsReply"]


def test_an_analysis_within_ask_is_told_alike_and_checked_no_second_time(knowledge, scripted_chat_server):
    scripted_chat_server.reply_by(tell)
    answer = knowledge.ask(QUESTION)
    assert answer.text.split("\n")[3:5] == [f"- {NEGATIVE}", f"- {LOST}"]
    assert answer.groundedness == 1.0
    assert count_calls(scripted_chat_server) == ["NarrativeReply", "ClaimsReply"]


@pytest.mark.parametrize("behaviour", [fails(500), says("no"), says({})])
def test_a_model_that_only_fails_leaves_all_of_it_to_the_rules(knowledge, scripted_chat_server, behaviour):
    scripted_chat_server.script(behaviour)
    found = knowledge.analyze(QUESTION)
    assert found.narrative == ()
    assert "as the chat model tells it" not in found.answer.text
    assert f"Read {ARTICLES} of {ARTICLES} articles" in found.answer.text


def test_reading_leaves_the_calls_that_telling_takes(knowledge, scripted_chat_server):
    scripted_chat_server.reply_by(lambda request: read_all(request) if is_reading(request) else tell(request))
    found = knowledge.analyze(QUESTION, pattern="map_reduce")
    assert "narrate" in [each.node for each in found.answer.decisions]
    assert count_calls(scripted_chat_server)[0] == "NarrativeReply"
