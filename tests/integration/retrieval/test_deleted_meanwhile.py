"""A document that is deleted between a search and what the search does with its hits."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "unit" / "app"))
sys.path.insert(0, str(Path(__file__).parents[1] / "workflow"))

from planted_themes import documents
from small_knowledge import NOW, WordHashes, a_document, opened

from ascertain import Ascertain
from ascertain.core.asking.passages import Filter
from ascertain.core.settings import load_settings

NEWS = {"bridge": "The harbour bridge reopened on Tuesday.", "bread": "A bakery won the prize for its rye bread."}


@pytest.fixture
def knowledge(tmp_path: Path) -> Iterator[Ascertain]:
    for name, days in (("old", "ten"), ("new", "thirty")):
        (tmp_path / f"{name}.txt").write_text(f"Refunds take {days} days. The bridge was repaired by Ana Flores.")
    settings = load_settings(home=tmp_path / "kb", environ={}, arguments={"server.port": 0}).settings
    with Ascertain(settings, clock=NOW, embedder=WordHashes()) as knowledge:
        knowledge.add([tmp_path / "old.txt", tmp_path / "new.txt"])
        yield knowledge


def test_an_answer_does_without_a_document_that_goes_while_it_is_found(
    knowledge: Ascertain, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = knowledge.container.store()
    read_vectors = store.vectors

    def delete_first(chunk_ids):
        knowledge.delete(Filter(sources=(str(tmp_path / "old.txt"),)))
        return read_vectors(chunk_ids)

    monkeypatch.setattr(store, "vectors", delete_first)
    answer = knowledge.ask("How many days do refunds take?", use_cache=False)
    assert "thirty days" in answer.text
    assert {citation.source for citation in answer.citations} == {str(tmp_path / "new.txt")}


def delete_at_reading(knowledge: Ascertain, monkeypatch: pytest.MonkeyPatch, at: int, gone: str) -> list[int]:
    """Has the document ``gone`` deleted just before vectors are read for the ``at``-th time; counts the readings."""
    store = knowledge.container.store()
    read_vectors = store.vectors
    readings: list[int] = []

    def delete_first(chunk_ids):
        readings.append(len(chunk_ids))
        if len(readings) == at:
            knowledge.delete(Filter(document_ids=(gone,)))
        return read_vectors(chunk_ids)

    monkeypatch.setattr(store, "vectors", delete_first)
    return readings


def test_a_digest_does_without_a_story_that_goes_while_stories_are_told_apart(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    day = datetime(2024, 12, 3, tzinfo=UTC)
    with opened(tmp_path / "kb") as knowledge:
        knowledge.add_documents([a_document(name, text, published_at=day) for name, text in NEWS.items()])
        bridge = next(each.id for each in knowledge.documents() if each.source == "bridge")
        readings = delete_at_reading(knowledge, monkeypatch, 1, bridge)
        answer = knowledge.ask("What happened this week?", use_cache=False)
    assert readings
    assert "rye bread" in answer.text
    assert "bridge" not in answer.text


@pytest.mark.parametrize("at", [1, 2])
def test_themes_are_told_without_a_document_that_goes_while_they_are_found_or_described(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, at: int
) -> None:
    with opened(tmp_path / "kb") as knowledge:
        knowledge.add_documents(documents())
        readings = delete_at_reading(knowledge, monkeypatch, at, "rail-0")
        answer = knowledge.ask("What are the main themes?", use_cache=False)
    assert len(readings) > at
    assert "bees" in answer.text.lower()
    assert "rail-0" not in {citation.document_id for citation in answer.citations}
