"""A home whose claims are checked by a model on a server, which answers or does not; the server is real, on loopback."""

from __future__ import annotations

from pathlib import Path

import pytest
from embedding_api import predicts
from scripted_chat_server import fails, sends, silent

from ascertain import Ascertain, Settings
from ascertain.core.asking.runs import FELL_BACK, Budget, Run
from ascertain.core.settings import ModelSettings
from ascertain.models.ports import ClaimPair

TEXT = """# The bridge of Oakford

The stone bridge of Oakford was opened on 3 June 1911. It was built by the engineer Mary Holt after a long dispute.
"""
QUESTION = "Is it true that the stone bridge of Oakford was opened on 3 June 1911?"


@pytest.fixture(scope="module")
def home(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("entailment")
    (folder / "bridge.md").write_text(TEXT, "utf-8")
    with Ascertain(Settings(home=folder / "kb", models=ModelSettings(threads=1))) as knowledge:
        knowledge.add([folder / "bridge.md"])
    return folder / "kb"


def opened(home: Path, server, options: str = "&seconds=1&retries=0") -> Ascertain:
    address = server.base_url.removesuffix("/v1")
    models = ModelSettings(threads=1, entailment=f"tei:nli?base_url={address}{options}")
    return Ascertain(Settings(home=home, models=models))


def fallbacks(answer) -> list[str]:
    return [each.reason for each in answer.decisions if each.outcome == FELL_BACK]


def asked(home: Path, server):
    with opened(home, server) as knowledge:
        return knowledge.ask(QUESTION, use_cache=False)


@pytest.mark.parametrize(
    ("chances", "told"),
    [
        ((0.98, 0.01, 0.01), "Supported: the documents say so."),
        ((0.01, 0.01, 0.98), "Contradicted: the documents say otherwise."),
    ],
)
def test_the_verdict_on_a_claim_is_that_of_the_server(home, scripted_chat_server, chances, told):
    scripted_chat_server.reply_by(predicts(lambda evidence, claim: chances))
    answer = asked(home, scripted_chat_server)
    assert answer.text.startswith(told)
    assert fallbacks(answer) == []


@pytest.mark.parametrize(
    ("behaviour", "told"),
    [
        (fails(500, "oops"), "HTTP 500"),
        (fails(429, "slow", retry_after="60"), "it asks to wait 60 s"),
        (silent, "the server took too long"),
        (sends(b"[]"), "gave 0 predictions for 3 pairs"),
    ],
)
def test_where_the_server_fails_the_rules_check_and_the_trace_says_so(home, scripted_chat_server, behaviour, told):
    scripted_chat_server.script(behaviour)
    answer = asked(home, scripted_chat_server)
    assert answer.text.startswith("Supported: the documents say so.\n\nFor: The stone bridge of Oakford was opened")
    (reason,) = fallbacks(answer)
    assert reason.startswith("models.entailment: nli at http://127.0.0.1:")
    assert told in reason


def test_what_else_asks_for_support_has_the_rules_behind_the_server(home, scripted_chat_server):
    document = "The stone bridge of Oakford was opened on 3 June 1911."
    verifier = opened(home, scripted_chat_server).opened.models.sure_entailment
    scripted_chat_server.reply_by(predicts(lambda evidence, claim: (0.2, 0.7, 0.1)))
    assert verifier.check([ClaimPair(document, document)], a_run())[0].entailed == 0.2
    scripted_chat_server.script(fails(500, "oops"))
    run = a_run()
    assert verifier.check([ClaimPair(document, document)], run)[0].entailed > 0.5
    assert [note.outcome for note in run.take_notes()] == [FELL_BACK]


def a_run() -> Run:
    return Run(Budget(100, 10**6, 60, 10))
