"""Checksums are equal for equal contents and differ for anything else."""

import random
import sys
from dataclasses import fields, replace
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import numpy as np
import pytest

from ascertain.app.migration import documents
from ascertain.core.asking.answers import AnswerType
from ascertain.core.asking.requests import StoredTurn, TurnRecord, TurnState
from ascertain.core.documents.blocks import Place, Span
from ascertain.core.documents.documents import DocumentState
from ascertain.core.documents.profiling import DocumentProfile, DocumentType

sys.path.insert(0, str(Path(__file__).parents[2] / "contract"))

from ascertain.testing.store_documents import a_document, a_rich_document

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
OTHER = {
    str: "other",
    int: 99,
    float: 0.125,
    bool: True,
    tuple: ("other",),
    Span: Span(3, 4),
    Place: Place(page=9),
    datetime: NOON,
    DocumentProfile: DocumentProfile(0.5, DocumentType.FAQ, 0.5, ("law",)),
}


def changed(noun, name):
    """``noun`` with another value in one field."""
    value = getattr(noun, name)
    kind = next((kind for kind in OTHER if isinstance(value, kind) and type(value) is kind), None)
    if kind is bool:
        return replace(noun, **{name: not value})
    if kind is None:
        others = [member for member in type(value) if member is not value] if value is not None else ["other"]
        return replace(noun, **{name: others[0]})
    return replace(noun, **{name: OTHER[kind]})


@pytest.mark.parametrize("name", [field.name for field in fields(a_rich_document().document)])
def test_every_field_of_a_document_counts(name):
    found = a_rich_document()
    other = replace(found, document=changed(found.document, name))
    assert documents.hash_document(other) != documents.hash_document(found)


@pytest.mark.parametrize("name", [field.name for field in fields(a_rich_document().chunks[0])])
@pytest.mark.parametrize("position", [0, 2])
def test_every_field_of_a_chunk_counts(name, position):
    found = a_rich_document()
    chunks = list(found.chunks)
    chunks[position] = changed(chunks[position], name)
    assert documents.hash_document(replace(found, chunks=chunks)) != documents.hash_document(found)


def test_vectors_state_links_and_time_count():
    found = replace(a_document(), added_at=NOON)
    digest = documents.hash_document(found)
    for other in (
        replace(found, vectors=found.vectors[::-1]),
        replace(found, vectors=np.nextafter(found.vectors.astype(np.float16), np.float16(9)).astype(np.float32)),
        replace(found, state=DocumentState.DUPLICATE),
        replace(found, reason="why"),
        replace(found, duplicate_of="x"),
        replace(found, signature=b""),
        replace(found, added_at=NOON + timedelta(microseconds=1)),
    ):
        assert documents.hash_document(other) != digest


def test_how_a_store_hands_it_out_does_not_count():
    found = replace(a_rich_document(), added_at=NOON)
    parents_first = replace(
        found,
        chunks=(found.chunks[2], *found.chunks[:2]),
        vectors=found.vectors.astype(np.float16).astype(np.float32),
        added_at=NOON.astimezone(timezone(timedelta(hours=5))),
    )
    assert documents.hash_document(parents_first) == documents.hash_document(found)


def test_the_checksum_of_many_knows_no_order():
    digests = [documents.hash_document(a_document(f"/{n}.md")) for n in range(20)]
    shuffled = random.Random(1).sample(digests, len(digests))
    assert documents.sum_digests(digests) == documents.sum_digests(shuffled)
    assert len({documents.sum_digests(digests[:n]) for n in range(20)}) == 20
    assert documents.sum_digests([]) == "0" * 64


def test_every_field_of_a_turn_counts_but_the_words_for_an_interruption():
    outcome = StoredTurn("q", "a", AnswerType.SUMMARY, NOON, "standalone", {"b": 1, "a": [0.1, "\ud800"]})
    turn = TurnRecord("t", "q", NOON, TurnState.FINISHED, "", outcome)
    digest = documents.hash_turn(turn)
    for name in ("question", "text", "finished_at", "standalone"):
        value = NOON + timedelta(seconds=1) if name == "finished_at" else "other"
        assert documents.hash_turn(replace(turn, outcome=replace(outcome, **{name: value}))) != digest
    for answer in (None, {"a": [0.1, "\ud800"], "b": 2}):
        assert documents.hash_turn(replace(turn, outcome=replace(outcome, answer=answer))) != digest
    reordered = replace(outcome, answer={"a": [0.1, "\ud800"], "b": 1})
    assert documents.hash_turn(replace(turn, outcome=reordered)) == digest
    ended = replace(turn, state=TurnState.INTERRUPTED, outcome=None, reason="its process ended")
    assert documents.hash_turn(ended) == documents.hash_turn(replace(ended, reason="nobody is there"))
    failed = replace(ended, state=TurnState.FAILED)
    assert documents.hash_turn(failed) != documents.hash_turn(replace(failed, reason="no answer"))
