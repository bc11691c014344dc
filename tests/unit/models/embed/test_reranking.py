import json

import pytest
from embedding_api import one_by_one, reranks, vector_of
from scripted_chat_server import fails, sends

from ascertain.core.errors import ConfigurationError, ModelError
from ascertain.core.settings import ModelSettings
from ascertain.models.registry import open_reranker
from ascertain.testing import RerankerContract

QUESTION = "Who wrote the first program?"


def nearness(question: str, text: str) -> float:
    pairs = zip(vector_of(question), vector_of(text), strict=True)
    return max(0.0, min(1.0, sum(a * b for a, b in pairs)))


@pytest.fixture
def server(scripted_chat_server):
    scripted_chat_server.reply_by(reranks(nearness))
    return scripted_chat_server


def opened(server, kind="rerank"):
    reranker = open_reranker(ModelSettings(reranker=f"{kind}:tiny?base_url={server.base_url}"))
    reranker._server.sleep = lambda seconds: None
    return reranker


class TestContract(RerankerContract):
    @pytest.fixture
    def reranker(self, server):
        return opened(server)


@pytest.mark.parametrize("kind", ["rerank", "cohere", "jina", "voyage"])
def test_asks_in_coheres_protocol(server, kind):
    scores = opened(server, kind).scores(QUESTION, ["rain", "the first program"])
    assert scores[1] > scores[0]
    request = server.requests[0]
    assert request.path == "/v1/rerank"
    assert request.body == {"model": "tiny", "query": QUESTION, "documents": ["rain", "the first program"]}


def test_reads_what_voyage_sends(server):
    found = {"object": "list", "data": [{"index": 1, "relevance_score": 0.9}, {"index": 0, "relevance_score": 0.2}]}
    server.script(sends(json.dumps(found).encode()))
    assert opened(server).scores(QUESTION, ["rain", "the first program"]) == [0.2, 0.9]


def test_logits_become_chances(server):
    server.reply_by(reranks(lambda question, text: 4.0 if "program" in text else -4.0))
    low, high = opened(server).scores(QUESTION, ["rain", "the first program"])
    assert (round(low, 2), round(high, 2)) == (0.02, 0.98)


def test_trouble_that_passes_is_tried_again(server):
    server.reply_by(
        one_by_one(fails(429, "slow", retry_after="1"), fails(502, "bad gateway"), reranks(nearness)(FakeRequest()))
    )
    assert len(opened(server).scores(QUESTION, ["rain"])) == 1


def test_a_passage_without_a_score_is_told(server):
    server.script(sends(b'{"results": [{"index": 0, "relevance_score": 0.5}]}'))
    with pytest.raises(ModelError, match="gave no score for 1 of 2 passages"):
        opened(server).scores(QUESTION, ["rain", "sun"])


@pytest.mark.parametrize(
    ("value", "told"),
    [
        ("cohere:rerank-v3.5", "the environment variable COHERE_API_KEY is empty"),
        ("jina:jina-reranker-v2-base-multilingual", "the environment variable JINA_API_KEY is empty"),
        ("voyage:rerank-2", "the environment variable VOYAGE_API_KEY is empty"),
        ("rerank:tiny", "name its server: rerank:tiny?base_url=http://HOST/v1"),
    ],
)
def test_what_is_missing_is_told_in_one_line(monkeypatch, value, told):
    for variable in ("COHERE_API_KEY", "JINA_API_KEY", "VOYAGE_API_KEY"):
        monkeypatch.delenv(variable, raising=False)
    with pytest.raises(ConfigurationError, match="reranker") as caught:
        open_reranker(ModelSettings(reranker=value))
    assert told in str(caught.value)


class FakeRequest:
    def __init__(self):
        self.body = {"query": QUESTION, "documents": ["rain"]}


@pytest.mark.parametrize(("option", "setting"), [("labels=entailment", "entailment"), ("dimensions=2", "embedder")])
def test_an_option_of_other_models_is_refused(option, setting):
    name = option.partition("=")[0]
    with pytest.raises(ConfigurationError, match=f"'{name}' is an option of models.{setting}, and means nothing here"):
        open_reranker(ModelSettings(reranker=f"rerank:tiny?base_url=http://h/v1&{option}"))
