"""Two instances over one PostgreSQL, as two replicas of a service are."""

from __future__ import annotations

from pathlib import Path

import pytest
from small_knowledge import NOW, WordHashes, a_document

from ascertain import Ascertain, Settings
from ascertain.core.settings import StoreSettings

QUESTION = "How long do the repairs of the harbour bridge take?"


@pytest.fixture
def replicas(postgres_url: str, tmp_path: Path):
    store = StoreSettings(kind="postgres", url=postgres_url, name="app_replicas")
    opened = [
        Ascertain(Settings(home=tmp_path / name, store=store), clock=NOW, embedder=WordHashes())
        for name in ("one", "two")
    ]
    yield opened
    for each in opened:
        each.close()


def test_they_share_answers_feedback_and_changes_and_keep_tenants_apart(replicas: list[Ascertain]) -> None:
    one, two = replicas
    one.add_documents([a_document("bridge", "The repairs of the harbour bridge take six weeks.")])
    one.as_tenant("acme").add_documents(
        [a_document("bridge", "The repairs of the harbour bridge take nine weeks.", "acme")]
    )
    first = one.ask(QUESTION, conversation_id="c")
    assert "six" in first.text
    again = two.ask(QUESTION)
    assert (again.is_cached, again.text) == (True, first.text)
    assert "nine" in two.as_tenant("acme").ask(QUESTION).text
    two.feedback(first.id, "up")
    assert (one.feedback_summary().judged, one.as_tenant("acme").feedback_summary().judged) == (1, 0)
    two.add_documents([a_document("bridge", "The repairs of the harbour bridge take ten weeks.")])
    anew = one.ask(QUESTION)
    assert not anew.is_cached and "ten" in anew.text
    assert [turn.turn_id for turn in two.conversation("c")] == [first.id]
