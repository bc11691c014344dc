"""Entailment by a model on a server; the server is real, on loopback, and speaks as Text Embeddings Inference does."""

import json

import pytest
from embedding_api import one_by_one, predicts
from scripted_chat_server import fails, sends, silent

from ascertain.core.asking.runs import Budget, Run, Task
from ascertain.core.errors import BudgetExceeded, ConfigurationError, ModelError
from ascertain.core.settings import ModelSettings
from ascertain.models.ports import ClaimPair
from ascertain.models.registry import open_entailment
from ascertain.testing import EntailmentContract

RAIN, SUN = ClaimPair("It rained.", "It rained all day."), ClaimPair("The sun shone.", "It rained all day.")


def judge(evidence: str, claim: str) -> tuple[float, float, float]:
    """Entailment, neutral, contradiction."""
    words = set(claim.rstrip(".").split())
    return (0.9, 0.08, 0.02) if words <= set(evidence.replace(".", "").split()) else (0.1, 0.2, 0.7)


@pytest.fixture
def server(scripted_chat_server):
    scripted_chat_server.reply_by(predicts(judge))
    return scripted_chat_server


def a_run(calls: int = 100) -> Run:
    return Run(Budget(calls, 10**6, 60, 10))


def opened(server, options=""):
    address = server.base_url.removesuffix("/v1")
    entailment = open_entailment(ModelSettings(entailment=f"tei:nli?base_url={address}{options}"), None)
    entailment._server.sleep = lambda seconds: None
    return entailment


def checked(server, options="", pairs=(RAIN, SUN)):
    return opened(server, options).check(pairs, a_run())


class TestContract(EntailmentContract):
    @pytest.fixture
    def entailment(self, server):
        return opened(server)


def test_asks_for_pairs_of_evidence_and_claim(server):
    rain, sun = checked(server)
    assert (rain.entailed, rain.contradicted, rain.reason) == (0.9, 0.02, "")
    assert (sun.entailed, sun.contradicted, sun.reason) == (0.1, 0.7, "the evidence denies it")
    (request,) = server.requests
    assert request.path == "/predict"
    assert "authorization" not in request.headers
    pairs = [["It rained all day.", "It rained."], ["It rained all day.", "The sun shone."]]
    assert request.body == {"inputs": pairs, "raw_scores": False, "truncate": True}


@pytest.mark.parametrize(
    ("labels", "contradicted"),
    [
        (("ENTAILMENT", "NEUTRAL", "CONTRADICTION"), 0.7),
        (("Entailment", "neutral", "contradicts"), 0.7),
        (("entailment", "not-entailment"), 0.0),
        (("SUPPORTED", "NOT_ENOUGH_INFO", "REFUTED"), 0.7),
        (("consistent", "hallucinated"), 0.0),
    ],
)
def test_labels_are_known_however_they_are_spelt_and_ordered(server, labels, contradicted):
    server.reply_by(predicts(lambda *pair: judge(*pair)[: len(labels)], labels))
    rain, sun = checked(server)
    assert (rain.entailed, sun.entailed, sun.contradicted) == (0.9, 0.1, contradicted)


NUMBERS = ("LABEL_1", "LABEL_2", "LABEL_0")


def test_labels_that_are_numbers_are_refused_unless_their_meaning_is_given(server):
    server.reply_by(predicts(judge, NUMBERS))
    with pytest.raises(
        ModelError, match=r"a label 'LABEL_\d', which does not say .* tei:nli.labels=contradiction,neutral,entailment"
    ):
        checked(server)
    rain, sun = checked(server, "&labels=contradiction,entailment,neutral")
    assert (rain.entailed, sun.contradicted) == (0.9, 0.7)
    with pytest.raises(ConfigurationError, match="labels=yes,no: one must be entailment"):
        opened(server, "&labels=yes,no")


@pytest.mark.parametrize(
    "labels", [("positive", "neutral", "negative"), ("neutral", "contradiction", "not_entailment")]
)
def test_a_model_of_another_kind_is_told(server, labels):
    server.reply_by(predicts(judge, labels))
    with pytest.raises(ModelError, match=r"does not say what it means|no chance of entailment"):
        checked(server)


def test_many_pairs_go_in_batches_and_a_refused_batch_is_halved(server):
    pairs = [RAIN, SUN] * 40
    assert [each.entailed for each in checked(server, pairs=pairs)] == [0.9, 0.1] * 40
    assert sorted(len(request.body["inputs"]) for request in server.requests) == [16, 32, 32]
    server.requests.clear()
    assert [each.entailed for each in checked(server, "&texts=60", pairs)] == [0.9, 0.1] * 40
    assert sorted(len(request.body["inputs"]) for request in server.requests) == [20, 30, 30, 60]


def test_long_evidence_is_read_in_windows_of_whole_sentences_and_the_best_counts(server):
    long = " ".join(f"Sentence number {n} tells of something else." for n in range(80))
    (support,) = checked(server, "&window=200", [ClaimPair("It rained", f"{long} It rained that day. {long}")])
    assert support.entailed == 0.9
    windows = [evidence for request in server.requests for evidence, _ in request.body["inputs"]]
    assert len(windows) > 5
    assert all(len(window) <= 600 and window.endswith(".") for window in windows)


def test_trouble_that_passes_is_tried_again(server):
    waits = []
    server.reply_by(one_by_one(fails(429, "slow", retry_after="7"), fails(500, "oops"), predicts(judge)(Asked())))
    entailment = opened(server)
    entailment._server.sleep = waits.append
    assert entailment.check([RAIN], a_run())[0].entailed == 0.9
    assert waits[0] == pytest.approx(7, abs=0.5)


@pytest.mark.parametrize(
    ("behaviour", "told"),
    [
        (fails(401, "bad token"), "HTTP 401"),
        (fails(503, "loading"), "HTTP 503"),
        (silent, "the server took too long"),
        (sends(b"<html>"), "the reply is not JSON"),
        (sends(b'{"label": "entailment"}'), "the reply is not of this API"),
        (sends(b"[]"), "gave 0 predictions for 2 pairs"),
        (sends(b'[[{"label": "entailment", "score": "high"}], 7]'), "no chance of entailment"),
        (sends(json.dumps([[{"label": "entailment", "score": 4.2}]] * 2).encode()), "no chance of entailment"),
    ],
)
def test_what_is_no_answer_is_an_error_that_names_the_server(server, behaviour, told):
    server.script(behaviour)
    with pytest.raises(ModelError, match=told) as caught:
        checked(server, "&seconds=0.5&retries=0")
    assert "models.entailment: nli at http://127.0.0.1" in str(caught.value)


def test_the_key_goes_to_the_server_and_into_no_message(server, monkeypatch):
    monkeypatch.setenv("NLI_KEY", "s3cret")
    checked(server, "&key=NLI_KEY")
    assert server.requests[0].headers["authorization"] == "Bearer s3cret"
    server.script(fails(403, "s3cret is no key"))
    with pytest.raises(ModelError) as caught:
        checked(server, "&key=NLI_KEY")
    assert "s3cret" not in str(caught.value)


@pytest.mark.parametrize(
    ("value", "told"),
    [
        ("tei:nli", "name its server: tei:nli?base_url=http://HOST"),
        ("tei:nli?base_url=localhost", "is not an address"),
        ("tei:nli?base_url=http://h&key=NO_SUCH_KEY", "the environment variable NO_SUCH_KEY is empty"),
        ("tei:nli?adress=http://h", "there is no option 'adress'"),
        ("tei:nli?base_url=http://h&pooling=cls", "'pooling' is an option of models.embedder, and means nothing here"),
    ],
)
def test_what_is_missing_is_told_in_one_line(value, told):
    with pytest.raises(ConfigurationError, match=r"models\.entailment") as caught:
        open_entailment(ModelSettings(entailment=value), None)
    assert told in str(caught.value)


def test_what_it_costs_is_booked_on_the_question_and_kept_to_its_budget(server):
    run, entailment = a_run(calls=1), opened(server, "&usd=1000")
    entailment.check([RAIN, SUN], run)
    (usage,) = run.usage.tasks
    assert (usage.task, usage.calls, usage.input_tokens) == (Task.VERIFY, 1, entailment.spent.tokens)
    assert usage.cost_usd == pytest.approx(usage.input_tokens / 1000)
    with pytest.raises(BudgetExceeded):
        entailment.check([RAIN], run)
    assert len(server.requests) == 1


class Asked:
    def __init__(self):
        self.body = {"inputs": [["It rained all day.", "It rained."]]}
