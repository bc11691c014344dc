import re
from dataclasses import dataclass

import numpy as np
import pytest
from embedding_api import embeddings, embeds, one_by_one, vector_of
from scripted_chat_server import cuts, fails, hangs_up, pauses, sends

from ascertain.core.errors import ConfigurationError, ModelError, TextRefused
from ascertain.core.settings import ModelSettings
from ascertain.models.registry import open_embedder
from ascertain.testing import EmbedderContract

FEW = ["Ada wrote a program.", "Rain fell.", "Prices rose by 3 %."]


@dataclass
class Serving:
    server: object
    waits: list[float]

    def open(self, options: str = "", name: str = "tiny"):
        value = f"openai:{name}?base_url={self.server.base_url}{options}"
        embedder = open_embedder(ModelSettings(embedder=value))
        embedder._server.sleep = self.waits.append
        return embedder

    def answer(self, *answers: object) -> None:
        self.server.reply_by(one_by_one(*answers))

    @property
    def inputs(self) -> list[list[str]]:
        return [request.body["input"] for request in self.server.requests]


@pytest.fixture
def serving(scripted_chat_server):
    scripted_chat_server.reply_by(embeds())
    return Serving(scripted_chat_server, [])


class TestContract(EmbedderContract):
    @pytest.fixture
    def embedder(self, serving):
        return serving.open()


def test_asks_in_openais_protocol(serving, monkeypatch):
    monkeypatch.setenv("MY_KEY", "sk-secret")
    serving.open("&key=MY_KEY").embed_documents(FEW)
    request = serving.server.requests[0]
    assert request.path == "/v1/embeddings"
    assert request.headers["authorization"] == "Bearer sk-secret"
    assert request.body == {"model": "tiny", "input": FEW, "encoding_format": "float"}


def test_the_key_of_openai_is_not_sent_to_another_server(serving, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    serving.open().embed_documents(FEW)
    assert "authorization" not in serving.server.requests[0].headers


def test_a_missing_key_is_told_in_one_line_with_the_variable(monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with pytest.raises(ConfigurationError) as caught:
        open_embedder(ModelSettings(embedder="openai:text-embedding-3-small"))
    assert str(caught.value) == (
        "models.embedder = 'openai:text-embedding-3-small': the environment variable OPENAI_API_KEY is empty; set it to the key, "
        "or give your own server: openai:text-embedding-3-small?base_url=http://HOST/v1"
    )


@pytest.mark.parametrize(
    ("value", "told"),
    [
        ("openai:tiny?dimension=4", "there is no option 'dimension'; did you mean dimensions?"),
        ("openai:tiny?dimensions=many", "dimensions: Input should be a valid integer"),
        ("openai:tiny?pooling=max", "pooling: Input should be '', 'mean', 'cls' or 'last'"),
        ("openai:", "a model name is missing, as in openai:NAME"),
        ("openai:tiny?base_url=localhost", "is not an address"),
    ],
)
def test_an_option_that_is_none_is_told(value, told):
    with pytest.raises(ConfigurationError, match="embedder") as caught:
        open_embedder(ModelSettings(embedder=value))
    assert told in str(caught.value)


def test_prefixes_stand_before_questions_and_texts(serving):
    embedder = serving.open("&query=ask:%20&passage=told:%20")
    embedder.embed_documents(["rain"])
    embedder.embed_query("rain?")
    assert serving.inputs == [["told: rain"], ["ask: rain?"]]


def test_prefixes_of_a_known_model_are_not_to_be_set(serving):
    embedder = serving.open(name="intfloat/multilingual-e5-small")
    embedder.embed_documents(["rain"])
    embedder.embed_query("rain?")
    assert serving.inputs == [["passage: rain"], ["query: rain?"]]


def test_a_server_that_wants_to_know_is_told_what_a_text_is(serving):
    embedder = serving.open("&input_type=true")
    embedder.embed_documents(["rain"])
    embedder.embed_query("rain?")
    assert [request.body["input_type"] for request in serving.server.requests] == ["document", "query"]


def test_vectors_are_stored_under_what_makes_them_what_they_are(serving):
    assert serving.open().name == "openai:tiny"
    assert serving.open("&dimensions=8&requests=2&passage=a:").name == "openai:tiny?passage=a%3A&dimensions=8"
    assert serving.open("&revision=2").name == "openai:tiny?revision=2"


def test_a_server_that_knows_fewer_dimensions_is_asked_for_them(serving):
    embedder = serving.open("&dimensions=8")
    assert embedder.embed_documents(FEW).shape == (3, 8)
    assert serving.server.requests[0].body["dimensions"] == 8


def test_vectors_of_a_server_that_does_not_are_cut_to_unit_length(serving):
    serving.server.reply_by(lambda request: sends(bytes_of(embeddings(request.body["input"]))))
    vectors = serving.open("&dimensions=8").embed_documents(FEW)
    whole = np.array([vector_of(text)[:8] for text in FEW])
    assert vectors == pytest.approx(whole / np.linalg.norm(whole, axis=1, keepdims=True), abs=1e-5)


@pytest.mark.parametrize("how", [{"backwards": True}, {"as_base64": True}, {"usage": False}])
def test_reads_what_compatible_servers_send(serving, how):
    serving.server.reply_by(embeds(**how))
    assert serving.open().embed_documents(FEW) == pytest.approx(np.array([vector_of(text) for text in FEW]), abs=1e-5)


def test_batches_are_cut_by_tokens_and_by_texts(serving):
    texts = ["word " * 60] * 3 + ["short"] * 5
    serving.open("&tokens=220&texts=4&requests=1").embed_documents(texts)
    assert [len(batch) for batch in serving.inputs] == [2, 4, 2]


def test_several_requests_are_under_way_at_a_time(serving):
    serving.server.reply_by(lambda request: pauses(0.3, embeds()(request)))
    texts = [f"text {number}" for number in range(8)]
    vectors = serving.open("&texts=2&requests=4").embed_documents(texts)
    assert vectors == pytest.approx(np.array([vector_of(text) for text in texts]), abs=1e-5)
    arrived = sorted(request.arrived for request in serving.server.requests)
    assert len(arrived) == 4
    assert arrived[-1] - arrived[0] < 0.3


def test_a_long_text_is_cut_to_the_window(serving):
    serving.open("&window=100").embed_documents(["word " * 1000])
    assert len(serving.inputs[0][0]) <= 300


@pytest.mark.parametrize(
    "trouble",
    [
        fails(429, "slow down"),
        fails(503, "overloaded"),
        fails(500, "oops"),
        hangs_up,
        cuts({}),
        sends(b"<html>gateway</html>"),
        sends(b"[1, 2]"),
    ],
)
def test_trouble_that_passes_is_tried_again(serving, trouble):
    serving.answer(trouble, trouble)
    assert serving.open().embed_documents(FEW).shape == (3, 64)
    assert len(serving.server.requests) == 3
    assert 0 < serving.waits[0] < serving.waits[1]


def test_waits_as_long_as_the_server_asks(serving):
    serving.answer(fails(429, "slow down", retry_after="7"))
    serving.open().embed_documents(FEW)
    assert serving.waits == [pytest.approx(7, abs=0.2)]


def test_what_one_request_is_asked_to_wait_holds_for_all(serving):
    serving.answer(fails(429, "slow down", retry_after="7"))
    embedder = serving.open("&texts=1&requests=1")
    embedder.embed_documents(FEW[:1])
    embedder._server._not_before += 0
    embedder.embed_documents(FEW[1:])
    assert serving.waits[1] == pytest.approx(7, abs=0.5)


def test_no_more_requests_a_minute_than_the_options_allow(serving):
    embedder = serving.open("&per_minute=60&texts=1&requests=1")
    embedder.embed_documents(FEW)
    assert serving.waits == [pytest.approx(1, abs=0.2), pytest.approx(2, abs=0.2)]


def test_a_question_does_not_wait_for_minutes(serving):
    serving.server.script(fails(429, "slow down", retry_after="60"))
    with pytest.raises(ModelError) as caught:
        serving.open().embed_query("rain?")
    assert re.fullmatch(
        f"models.embedder: tiny at {serving.server.base_url}: the server is asked too often \\(HTTP 429\\); it asks to wait 60 s; "
        r"searches by meaning fail until \d\d:\d\d: slow down",
        str(caught.value),
    )
    assert serving.waits == []


@pytest.mark.parametrize(
    ("trouble", "told"),
    [
        (fails(401, "Incorrect API key sk-secret"), "the server refused the key (HTTP 401): Incorrect API key …"),
        (fails(404, "no such model"), "the server does not know the model or the address (HTTP 404): no such model"),
        (sends(b'{"object": "error", "message": "nope"}'), "gave no vectors; its address may be that of another API"),
        (sends(b'{"data": []}'), "gave no vectors"),
        (sends(b'{"data": [{"index": 0, "embedding": null}]}'), "gave no vectors"),
        (sends(b'{"data": [{"index": 0, "embedding": [0, 0, 0]}]}'), "a vector that is zero or no number"),
        (sends(b'{"data": [{"index": 0, "embedding": [NaN, 1, 2]}]}'), "a vector that is zero or no number"),
    ],
)
def test_an_error_is_one_line_that_names_the_server(serving, monkeypatch, trouble, told):
    monkeypatch.setenv("MY_KEY", "sk-secret")
    serving.server.script(trouble)
    with pytest.raises(ModelError) as caught:
        serving.open("&key=MY_KEY").embed_documents(["rain"])
    assert told in str(caught.value)
    assert "\n" not in str(caught.value)
    assert "sk-secret" not in str(caught.value)


def test_gives_up_after_the_tries_it_has(serving):
    serving.server.script(fails(503, "overloaded"))
    with pytest.raises(ModelError, match=r"failed \(HTTP 503\) after 3 tries: overloaded"):
        serving.open("&retries=2").embed_documents(FEW)


def test_a_server_that_never_answers_costs_no_more_than_the_time_limit(serving):
    serving.server.script(pauses(5, sends(b"{}")))
    with pytest.raises(ModelError, match="took too long"):
        serving.open("&seconds=0.2&retries=0").embed_query("rain?")


def test_what_a_reply_leaves_out_is_asked_for_again(serving):
    def half(request):
        texts = request.body["input"]
        return sends(bytes_of(embeddings(texts, leave_out=range(1, len(texts), 2))))

    serving.server.reply_by(half)
    assert serving.open().embed_documents(FEW) == pytest.approx(np.array([vector_of(text) for text in FEW]), abs=1e-5)


def test_a_batch_that_is_too_long_is_halved(serving):
    def two_at_most(request):
        return fails(400, "too many inputs") if len(request.body["input"]) > 2 else embeds()(request)

    serving.server.reply_by(two_at_most)
    vectors = serving.open().embed_documents(FEW)
    assert vectors == pytest.approx(np.array([vector_of(text) for text in FEW]), abs=1e-5)


def test_a_text_that_is_too_long_is_cut(serving):
    def short(request):
        return fails(400, "input is too long") if max(map(len, request.body["input"])) > 500 else embeds()(request)

    serving.server.reply_by(short)
    assert serving.open().embed_documents(["word " * 500, "rain"]).shape == (2, 64)


def test_a_text_that_is_never_taken_is_named(serving):
    def picky(request):
        return fails(400, "bad input") if any("evil" in text for text in request.body["input"]) else embeds()(request)

    serving.server.reply_by(picky)
    with pytest.raises(TextRefused, match="the text begins “evil”"):
        serving.open().embed_documents(["rain", "evil", "sun"])


def test_a_server_that_changes_its_dimension_is_told(serving):
    serving.answer(None, embeds(dimension=32)(FakeRequest(FEW)))
    embedder = serving.open()
    embedder.embed_query("rain?")
    with pytest.raises(ModelError, match="gave vectors of 32 dimensions, not 64: it has another model now"):
        embedder.embed_documents(FEW)


def test_a_server_that_changes_its_model_is_told(serving):
    serving.answer(None, embeds(model="other")(FakeRequest(FEW)))
    embedder = serving.open()
    embedder.embed_query("rain?")
    with pytest.raises(
        ModelError, match="answered with the model 'other' after 'scripted'; their vectors cannot be mixed"
    ):
        embedder.embed_documents(FEW)


def test_counts_what_it_spends(serving):
    embedder = serving.open("&usd=2")
    embedder.embed_documents(["one two three", "four"])
    assert embedder.spent.tokens == 4
    assert embedder.spent.usd == pytest.approx(8e-6)


class FakeRequest:
    def __init__(self, texts: list[str]) -> None:
        self.body = {"input": texts}


def bytes_of(body: dict) -> bytes:
    import json

    return json.dumps(body).encode()


def test_an_option_of_models_that_check_claims_is_refused():
    with pytest.raises(
        ConfigurationError, match=r"'labels' is an option of models\.entailment, and means nothing here"
    ):
        open_embedder(ModelSettings(embedder="openai:tiny?base_url=http://h/v1&labels=entailment"))
