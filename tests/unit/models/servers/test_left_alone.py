"""Models on servers that failed: left alone for a while, as the chat model is, by what somebody waits for."""

import json
import time
from dataclasses import dataclass

import pytest
from embedding_api import embeds, predicts, reranks
from scripted_chat_server import fails, sends, silent

from ascertain.core.asking.runs import FELL_BACK, Budget, Run
from ascertain.core.errors import ModelError, ModelLeftAlone
from ascertain.core.settings import ModelSettings
from ascertain.models.entail.rules import EntailmentOverRules
from ascertain.models.ports import ClaimPair, Support
from ascertain.models.registry import open_embedder, open_entailment, open_reranker
from ascertain.models.servers.breaker import BreakerState, list_breakers
from ascertain.models.speech.transcribe import open_transcriber

PAIR = ClaimPair("It rained.", "It rained all day.")
HEARD = sends(json.dumps({"segments": [{"text": "Rain.", "start": 0, "end": 2}]}).encode())


@dataclass
class Hosted:
    """One kind of model on a scripted server: ``use`` calls it once, ``works`` is what a server says that works."""

    server: object
    model: object
    use: object
    works: object
    meanwhile: str

    def error(self) -> str:
        with pytest.raises(ModelError) as caught:
            self.use()
        return str(caught.value)


def a_run() -> Run:
    return Run(Budget(100, 10**6, 60, 10))


@pytest.fixture(params=["entailment", "reranker", "embedder", "speech"])
def hosted(request, scripted_chat_server, tmp_path):
    server, few = scripted_chat_server, "&retries=1&seconds=0.3"
    address = server.base_url
    if request.param == "entailment":
        model = open_entailment(ModelSettings(entailment=f"tei:nli?base_url={address}{few}"), None)
        works = predicts(lambda *_: (0.9, 0.08, 0.02))
        found = Hosted(server, model, lambda: model.check([PAIR], a_run()), works, "claims are checked by rules")
    elif request.param == "reranker":
        model = open_reranker(ModelSettings(reranker=f"rerank:tiny?base_url={address}{few}"))
        works = reranks(lambda *_: 0.5)
        found = Hosted(
            server, model, lambda: model.scores("rain?", ["rain"]), works, "passages stay in the order found"
        )
    elif request.param == "embedder":
        model = open_embedder(ModelSettings(embedder=f"openai:tiny?base_url={address}{few}"))
        found = Hosted(server, model, lambda: model.embed_query("rain?"), embeds(), "searches by meaning fail")
    else:
        recording = tmp_path / "rain.wav"
        recording.write_bytes(b"RIFF")
        model = open_transcriber(f"openai:tiny?base_url={address}{few}")
        found = Hosted(server, model, lambda: model.transcribe(recording), lambda _: HEARD, "recordings fail")
    model._server.sleep = lambda seconds: None
    return found


def fail_until_left_alone(hosted: Hosted, behaviour) -> str:
    """The last error of as many calls as it takes: recordings count for a third each."""
    hosted.server.script(behaviour)
    for _ in range(3):
        error = hosted.error()
        if "until" in error:
            return error
    pytest.fail("it was never left alone")


def end_pause() -> None:
    (breaker,) = list_breakers()
    breaker._clock = lambda: time.monotonic() + 3601


@pytest.mark.parametrize(
    ("behaviour", "reason"),
    [
        (fails(500), "the server failed (HTTP 500)"),
        (fails(429), "the server is asked too often (HTTP 429)"),
        (silent, "the server took too long"),
    ],
    ids=["500", "429", "silent"],
)
def test_a_server_that_failed_is_left_alone_and_what_holds_meanwhile_is_told(hosted, behaviour, reason):
    first = fail_until_left_alone(hosted, behaviour)
    assert reason in first
    assert f"; {hosted.meanwhile} until " in first
    asked = len(hosted.server.requests)
    with pytest.raises(ModelLeftAlone) as caught:
        hosted.use()
    assert f"is left alone ({reason}); {hosted.meanwhile} until" in str(caught.value)
    assert 0 < caught.value.seconds <= 121
    assert len(hosted.server.requests) == asked


def test_after_the_pause_the_next_call_finds_it_back(hosted):
    fail_until_left_alone(hosted, fails(503))
    hosted.server.reply_by(hosted.works)
    assert "is left alone" in hosted.error()
    end_pause()
    for _ in range(2):
        hosted.use()
    assert [breaker.state for breaker in list_breakers()] == [BreakerState.CLOSED]


@pytest.mark.parametrize("status", [400, 401, 404, 422])
def test_what_lies_in_the_request_or_the_key_leaves_the_server_in_use(hosted, status):
    hosted.server.script(fails(status))
    for _ in range(4):
        assert "until" not in hosted.error()
    hosted.server.reply_by(hosted.works)
    hosted.use()


def test_what_is_no_reply_of_the_api_is_believed_only_with_others(hosted):
    hosted.server.script(sends(b"<html>"))
    assert "until" not in hosted.error()
    hosted.server.reply_by(hosted.works)
    hosted.use()
    hosted.server.script(sends(b"<html>"))
    assert "until" not in hosted.error()


def test_batches_of_one_check_try_a_server_again_together(scripted_chat_server):
    """The one call that tries again has several requests under way, of which none may be refused."""
    address = scripted_chat_server.base_url
    model = open_entailment(ModelSettings(entailment=f"tei:nli?base_url={address}&retries=0&texts=1&requests=2"), None)
    scripted_chat_server.script(fails(500))
    with pytest.raises(ModelError):
        model.check([PAIR], a_run())
    end_pause()

    def reply(request):
        time.sleep(0.3)
        return predicts(lambda *_: (0.9, 0.08, 0.02))(request)

    scripted_chat_server.reply_by(reply)
    assert [support.entailed for support in model.check([PAIR, PAIR], a_run())] == [0.9, 0.9]


def test_documents_wait_out_what_questions_do_not(scripted_chat_server):
    address = scripted_chat_server.base_url
    embedder = open_embedder(ModelSettings(embedder=f"openai:tiny?base_url={address}&retries=0"))
    scripted_chat_server.script(fails(500))
    with pytest.raises(ModelError, match="searches by meaning fail until"):
        embedder.embed_query("rain?")
    scripted_chat_server.reply_by(embeds())
    with pytest.raises(ModelLeftAlone):
        embedder.embed_query("rain?")
    assert len(embedder.embed_documents(["rain"])) == 1
    embedder.embed_query("rain?")  # documents found it back


def test_models_of_one_server_fail_each_for_itself(scripted_chat_server):
    address = scripted_chat_server.base_url
    one, other = (
        open_reranker(ModelSettings(reranker=f"rerank:{name}?base_url={address}&retries=0")) for name in ("one", "two")
    )
    scripted_chat_server.script(fails(500))
    with pytest.raises(ModelError):
        one.scores("rain?", ["rain"])
    scripted_chat_server.reply_by(reranks(lambda *_: 0.5))
    with pytest.raises(ModelLeftAlone):
        one.scores("rain?", ["rain"])
    assert other.scores("rain?", ["rain"]) == [0.5]


def test_the_rules_check_claims_of_a_server_left_alone_and_the_record_says_why(scripted_chat_server):
    address = scripted_chat_server.base_url
    model = open_entailment(ModelSettings(entailment=f"tei:nli?base_url={address}&retries=0"), None)

    class Rules:
        name = "rules"

        def check(self, pairs, run):
            return [Support(0.5, 0.1)] * len(pairs)

    checker = EntailmentOverRules(model, Rules())
    scripted_chat_server.script(fails(500, "cannot process 'salary of Jane Roe'"))
    reasons = []
    for _ in range(2):
        run = a_run()
        assert checker.check([PAIR], run)[0].entailed == 0.5
        (note,) = run.take_notes()
        assert note.outcome == FELL_BACK
        reasons.append(note.reason)
    assert "HTTP 500" in reasons[0]
    assert "nli at " in reasons[1]
    assert "is left alone (the server failed (HTTP 500)); claims are checked by rules until" in reasons[1]
    assert "Jane Roe" not in reasons[1]
    assert len(scripted_chat_server.requests) == 1
