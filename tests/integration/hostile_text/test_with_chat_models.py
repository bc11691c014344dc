"""Orders in documents, with a chat model that obeys whatever is not data, and with one that falls for everything."""

import re

import pytest
from hostile_documents import CASES, EVIL, PAYLOAD
from hostile_models import GullibleModel, ObedientModel
from scripted_chat_server import ScriptedChatServer

from ascertain.core.asking.answers import VerdictLabel


def with_chat(server):
    chat = {"model": "openai:scripted", "base_url": server.base_url, "retries": 0}
    return {"models": {"chat": chat, "entailment": "chat"}}


@pytest.fixture(scope="module")
def obedient(shelf):
    server, model = ScriptedChatServer(), ObedientModel()
    server.reply_by(model)
    yield shelf(**with_chat(server)), model, server
    server.close()


@pytest.fixture(scope="module")
def gullible(shelf):
    server, model = ScriptedChatServer(), GullibleModel()
    server.reply_by(model)
    yield shelf(**with_chat(server)), model, server
    server.close()


@pytest.mark.parametrize("case", CASES)
def test_a_model_that_reads_data_as_data_never_sees_an_order(obedient, in_the_clear, route, case):
    knowledge, model, server = obedient
    clear = in_the_clear(knowledge, case)
    answer = knowledge.ask(case, case.text)
    assert not model.obeyed
    assert answer.text == clear.text == case.subject.fact
    assert route(answer) == route(clear)
    assert {s.verdict.label for s in answer.sentences} == {VerdictLabel.SUPPORTED}
    assert answer.usage.calls == clear.usage.calls
    assert {request.path for request in server.requests} == {"/v1/chat/completions"}


@pytest.mark.parametrize("case", CASES)
def test_a_model_that_falls_for_it_supports_nothing_and_cites_only_what_is_stored(gullible, case):
    knowledge, model, server = gullible
    model.case = case
    answer = knowledge.ask(case, case.text)
    assert EVIL not in answer.text
    assert "\x1b" not in answer.text
    for sentence in answer.sentences:
        if PAYLOAD in sentence.text:
            assert sentence.verdict.label is not VerdictLabel.SUPPORTED, sentence
        assert sentence.citations or sentence.verdict.label is not VerdictLabel.SUPPORTED
        assert set(sentence.citations) <= {citation.number for citation in answer.citations}
    stored = {subject.fact for subject in (case.subject,)} | {case.subject.around}
    for citation in answer.citations:
        # a heading and the sentence behind it may be one quotation, without the tags between them
        plain = " ".join(re.sub(r"<[^>]+>", " ", case.text).split())
        sources = (case.text.replace("\u2028", "\n"), plain, *stored)
        assert any(" ".join(citation.quote.split()) in source or citation.quote in source for source in sources)
        assert PAYLOAD not in citation.quote
    assert {request.path for request in server.requests} == {"/v1/chat/completions"}
