"""Vectors of sentences that a knowledge base keeps in its home: the same answers, less work, and nothing of what was deleted."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest
from small_knowledge import WordHashes, a_document, opened

from ascertain import Filter
from ascertain.core.documents.documents import document_id
from ascertain.models.vectors.vector_file import identify_document

QUESTION = "how long do the repairs of the harbour bridge take?"
BRIDGE = "The harbour bridge is closed for repairs. The repairs of the harbour bridge take six weeks. Trams go around."


@pytest.fixture
def home(tmp_path: Path) -> Path:
    path = tmp_path / "kb"
    with opened(path) as knowledge:
        knowledge.add_documents(
            [a_document("bridge", BRIDGE), a_document("bread", "A sourdough starter is fed twice a day.")]
        )
    return path


def ask(home: Path, embedder: WordHashes | None = None) -> tuple[str, int, tuple[tuple[str, int, int], ...]]:
    """What is shown: text, confidence, quotations."""
    with opened(home, embedder) if embedder else opened(home) as knowledge:
        answer = knowledge.ask(QUESTION, use_cache=False)
    quotes = tuple((c.document_id, c.span.start, c.span.end) for c in answer.citations)
    return answer.text, answer.confidence.score, quotes


def count_kept(home: Path) -> int:
    file = home / "sentences.sqlite3"
    if not file.exists():
        return 0
    with sqlite3.connect(file) as db:
        return int(db.execute("SELECT count(*) FROM vectors").fetchone()[0])


class Counting(WordHashes):
    """Counts the texts that it embeds."""

    texts = 0

    def embed_documents(self, texts):  # type: ignore[no-untyped-def]
        self.texts += len(texts)
        return super().embed_documents(texts)


def test_a_second_process_answers_the_same_and_embeds_no_sentence(home: Path) -> None:
    cold, warm = Counting(), Counting()
    first = ask(home, cold)
    assert "six weeks" in first[0]
    kept = count_kept(home)
    assert kept > 0
    assert ask(home, warm) == first
    assert warm.texts < cold.texts
    assert count_kept(home) == kept
    (home / "sentences.sqlite3").unlink()
    assert ask(home) == first


def kept_of(home: Path, name: str) -> int:
    owner = identify_document("default", document_id(name, "default", None))
    with sqlite3.connect(home / "sentences.sqlite3") as db:
        return int(db.execute("SELECT count(*) FROM vectors WHERE owner = ?", (owner,)).fetchone()[0])


def test_nothing_of_a_deleted_document_is_kept_and_all_of_the_others(home: Path) -> None:
    ask(home)
    with opened(home) as knowledge:
        other = opened(home)
        assert other.ask(QUESTION, use_cache=False).citations
        assert other.ask("How often is a sourdough starter fed?", use_cache=False).citations
        kept = kept_of(home, "bread")
        assert kept > 0
        assert kept_of(home, "bridge") > 0
        knowledge.delete(Filter(document_ids=(document_id("bridge", "default", None),)))
        assert kept_of(home, "bridge") == 0
        assert kept_of(home, "bread") == kept == count_kept(home)
        other.close()


def test_another_tenant_s_deletion_takes_nothing(home: Path) -> None:
    ask(home)
    kept = count_kept(home)
    with opened(home) as knowledge:
        theirs = knowledge.as_tenant("theirs")
        theirs.add_documents([a_document("bridge", BRIDGE, tenant="theirs")])
        assert theirs.delete(Filter(tenant="theirs")) == 1
    assert count_kept(home) == kept > 0


def test_nothing_of_what_was_replaced_is_kept_and_what_is_added_costs_nothing(home: Path) -> None:
    ask(home)
    kept = count_kept(home)
    with opened(home) as knowledge:
        knowledge.add_documents([a_document("tram", "The tram to the harbour runs every ten minutes.")])
        assert count_kept(home) == kept
        knowledge.add_documents([a_document("bridge", BRIDGE.replace("six", "nine"))])
    assert kept_of(home, "bridge") == 0
    assert "nine weeks" in ask(home)[0]


@pytest.mark.parametrize("content", [b"no database", b""])
def test_a_damaged_file_changes_no_answer(home: Path, content: bytes) -> None:
    first = ask(home)
    (home / "sentences.sqlite3").write_bytes(content)
    assert ask(home) == first
    assert count_kept(home) > 0


def test_where_the_file_cannot_be_opened_the_home_is_asked_all_the_same(home: Path) -> None:
    first = ask(home)
    (home / "sentences.sqlite3").unlink()
    (home / "sentences.sqlite3").mkdir()
    assert ask(home) == first
