"""Checksums of what a knowledge base holds: equal wherever it is kept.

Whatever a store gives back of a document or a turn goes into its SHA-256, vectors as the float16 they are kept as. The checksum of many
is the sum of theirs modulo 2^256 (AdHash: Bellare & Micciancio, EUROCRYPT 1997), so their order does not matter.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from dataclasses import fields
from datetime import UTC, datetime
from functools import cache

import numpy as np

from ascertain.core.conversations import TurnRecord, TurnState
from ascertain.core.documents import DocumentRecord
from ascertain.stores.ports import IndexedDocument

_MODULUS = 1 << 256


def of_document(found: IndexedDocument) -> bytes:
    """Over every field of the document and of its chunks, its vectors, state, signature and the time it was added."""
    searchable = [chunk for chunk in found.chunks if not chunk.is_parent]
    parents = sorted((chunk for chunk in found.chunks if chunk.is_parent), key=lambda chunk: chunk.id)
    vectors = np.asarray(found.vectors, np.float16)
    return _digest(
        [
            found.document,
            searchable,
            parents,
            vectors.shape if len(vectors) else (),
            vectors.tobytes().hex(),
            found.state,
            found.reason,
            found.duplicate_of,
            found.signature.hex() if found.signature is not None else None,
            _instant(found.added_at) if found.added_at else None,
        ]
    )


def of_failure(record: DocumentRecord) -> bytes:
    """Over the record of a document that has no text because it could not be read.

    Not over when, and of which text: those are of the attempt, and a store notes its own.
    """
    return _digest(
        [
            (record.id, record.title, record.kind, record.source, record.state, record.reason),
            (record.profile, record.url, record.author, record.published_at, record.language, record.tags),
            (record.conversation_id, record.document_profile),
        ]
    )


def of_turn(turn: TurnRecord) -> bytes:
    """Over a turn that is no longer running, with its whole answer."""
    outcome = turn.outcome
    return _digest(
        [
            (turn.turn_id, turn.question, _instant(turn.asked_at), turn.state),
            # every store has its own words for a turn whose process ended
            turn.reason if turn.state is TurnState.FAILED else "",
            outcome and (outcome.question, outcome.text, outcome.type, outcome.standalone),
            outcome and (_instant(outcome.finished_at), outcome.answer),
        ]
    )


def of_all(digests: Iterable[bytes]) -> str:
    """One checksum for a set, as 64 hex digits."""
    total = sum(int.from_bytes(digest) for digest in digests) % _MODULUS
    return f"{total:064x}"


def _digest(value: object) -> bytes:
    # escaped to ASCII, so that lone surrogates have bytes too; keys sorted, since some databases reorder them
    text = json.dumps(value, default=_plain, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode("ascii")).digest()


def _plain(value: object) -> object:
    """A noun as the list of its fields; a moment with its offset, which ``Document.content_hash`` rests on too."""
    if isinstance(value, datetime):
        return value.isoformat()
    return [getattr(value, name) for name in _names(type(value))]


@cache
def _names(noun: type) -> tuple[str, ...]:
    return tuple(field.name for field in fields(noun))


def _instant(moment: datetime) -> str:
    return (moment.astimezone(UTC) if moment.tzinfo else moment).isoformat()
