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
from ascertain.analysis.model_mapping import BATCH, CONCURRENT, _controls
from ascertain.core.documents import DocumentKind, document_id

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
