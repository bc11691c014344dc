"""Copying documents and conversations, and checksums of them that are equal wherever they are kept.

Whatever a store gives back of a document or a turn goes into its SHA-256, vectors as the float16 they are kept as. The
checksum of many is the sum of theirs modulo 2^256 (AdHash: Bellare & Micciancio, EUROCRYPT 1997), so their order does
not matter.
"""

import hashlib
import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, fields
from datetime import UTC, datetime
from functools import cache
from typing import Protocol

import numpy as np

from ascertain.core.asking.passages import Filter
from ascertain.core.asking.requests import ConversationLabel, TurnRecord, TurnState
from ascertain.core.documents.documents import Document, DocumentRecord, DocumentState
from ascertain.stores.ports.chunks import CompleteStore, IndexedDocument
from ascertain.stores.ports.conversations import ConversationStore

_MODULUS = 1 << 256


def hash_document(found: IndexedDocument) -> bytes:
    """Over every field of the document and of its chunks, its vectors, state, signature and the time it was added."""
    searchable = [chunk for chunk in found.chunks if not chunk.is_parent]
    parents = sorted((chunk for chunk in found.chunks if chunk.is_parent), key=lambda chunk: chunk.id)
    vectors = np.asarray(found.vectors, np.float16)
    return _hash_value(
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
            _format_instant(found.added_at) if found.added_at else None,
        ]
    )


def hash_failure(record: DocumentRecord) -> bytes:
    """Over the record of a document that has no text because it could not be read.

    Not over when, and of which text: those are of the attempt, and a store notes its own.
    """
    return _hash_value(
        [
            (record.id, record.title, record.kind, record.source, record.state, record.reason),
            (record.profile, record.url, record.author, record.published_at, record.language, record.tags),
            (record.conversation_id, record.document_profile),
        ]
    )


def hash_turn(turn: TurnRecord) -> bytes:
    """Over a turn that is no longer running, with its whole answer."""
    outcome = turn.outcome
    return _hash_value(
        [
            (turn.turn_id, turn.question, _format_instant(turn.asked_at), turn.state),
            # every store has its own words for a turn whose process ended
            turn.reason if turn.state is TurnState.FAILED else "",
            outcome and (outcome.question, outcome.text, outcome.type, outcome.standalone),
            outcome and (_format_instant(outcome.finished_at), outcome.answer),
        ]
    )


def sum_digests(digests: Iterable[bytes]) -> str:
    """One checksum for a set, as 64 hex digits."""
    total = sum(int.from_bytes(digest) for digest in digests) % _MODULUS
    return f"{total:064x}"


def _hash_value(value: object) -> bytes:
    # escaped to ASCII, so that lone surrogates have bytes too; keys sorted, since some databases reorder them
    text = json.dumps(value, default=_list_fields, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode("ascii")).digest()


def _list_fields(value: object) -> object:
    """A noun as the list of its fields; a moment with its offset, which ``Document.content_hash`` rests on too."""
    if isinstance(value, datetime):
        return value.isoformat()
    return [getattr(value, name) for name in _field_names(type(value))]


@cache
def _field_names(noun: type) -> tuple[str, ...]:
    return tuple(field.name for field in fields(noun))


def _format_instant(moment: datetime) -> str:
    return (moment.astimezone(UTC) if moment.tzinfo else moment).isoformat()


KEPT_TURNS = 2**31 - 1
"""Whole answers kept of a conversation while it is copied: all that the source still has."""


@dataclass(slots=True)
class CopiedTurns:
    """``written`` turns; ``left_out`` names those that are being answered at this moment, as conversation and turn."""

    written: int = 0
    left_out: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])


def copy_conversations(source: ConversationStore, target: ConversationStore, tenant: str, merge: bool) -> CopiedTurns:
    """Bring every conversation of ``tenant`` to ``target``, with its times and states, in the order of their last use.

    What is equal is left alone, missing turns are added, and one that differs is rewritten; with ``merge`` its
    own turns stay. Turns that were interrupted become so at the target when it is closed.
    """
    copied = CopiedTurns()
    for summary in reversed(source.conversations(tenant)):
        turns = source.turns(summary.id, tenant)
        copied.left_out += [(summary.id, turn.turn_id) for turn in turns if turn.state is TurnState.RUNNING]
        ended = settled_turns(turns)
        there = settled_turns(target.turns(summary.id, tenant))
        if not merge and _hash_turns(ended)[: len(there)] != _hash_turns(there):
            target.delete(summary.id, tenant)
            there = []
        # one that came to nothing at the target may be a copy that was interrupted
        kept = {turn.turn_id for turn in there if turn.outcome or turn in ended}
        for turn in ended:
            if turn.turn_id not in kept:
                _write_turn(target, summary.id, turn, tenant)
                copied.written += 1
        if summary.label != ConversationLabel():
            target.label(summary.id, summary.label, tenant)
    return copied


def hash_conversations(store: ConversationStore, tenant: str) -> dict[str, list[bytes]]:
    """The checksums of the turns of every conversation, running ones left out, by its id."""
    found = {
        summary.id: _hash_turns(settled_turns(store.turns(summary.id, tenant)))
        for summary in store.conversations(tenant)
    }
    return {conversation: turns for conversation, turns in found.items() if turns}


def settled_turns(turns: Sequence[TurnRecord]) -> list[TurnRecord]:
    """The turns that are not being answered."""
    return [turn for turn in turns if turn.state is not TurnState.RUNNING]


def _hash_turns(turns: Sequence[TurnRecord]) -> list[bytes]:
    return [hash_turn(turn) for turn in turns]


def _write_turn(target: ConversationStore, conversation: str, turn: TurnRecord, tenant: str) -> None:
    target.begin(conversation, turn.turn_id, turn.question, turn.asked_at, tenant)
    if turn.outcome is not None:
        target.finish(conversation, turn.turn_id, turn.outcome, tenant)
    elif turn.state is TurnState.FAILED:
        target.fail(conversation, turn.turn_id, turn.reason, tenant)


BATCH_CHUNKS = 512
"""Chunks read and written at a time: a few megabytes of text and vectors, in few enough transactions."""
BATCH_DOCUMENTS = 256


class Advance(Protocol):
    """Hears that so many more chunks are done."""

    def __call__(self, chunks: int) -> None:
        """``chunks`` more."""
        ...


@dataclass(frozen=True, slots=True)
class CopiedBatch:
    """Documents written and those there already; checksums of all of them as they were read, by document id."""

    written: int
    unchanged: int
    chunks: int
    digests: dict[str, bytes]


def copy_documents(source: CompleteStore, target: CompleteStore, tenant: str) -> Iterator[CopiedBatch]:
    """Bring every document of ``tenant`` to ``target``; those that are equal there already are left alone.

    The oldest come first, so that a store that hands on an original to its oldest duplicate goes on doing so.
    """
    there = {record.id: record for record in target.documents(Filter(tenant=tenant))}
    for batch in batch_records(source.documents(Filter(tenant=tenant))):
        ids = [record.id for record in batch]
        read = {found.document.id: found for found in source.export(ids)}
        known = hash_documents(target, [there[document_id] for document_id in ids if document_id in there])
        # one without text that is no failure was deleted since it was listed
        present = [r for r in batch if r.id in read or r.state is DocumentState.FAILED]
        now = {record.id: _hash_record(record, read.get(record.id)) for record in present}
        changed = [record for record in present if known.get(record.id) != now[record.id]]
        if whole := [read[record.id] for record in changed if record.id in read]:
            target.upsert(whole)
        for record in changed:
            if record.id not in read:
                _copy_failure(target, record, tenant, is_there=record.id in there)
        chunks = sum(record.chunks for record in batch)
        yield CopiedBatch(len(changed), len(present) - len(changed), chunks, now)


def hash_all_documents(store: CompleteStore, records: Sequence[DocumentRecord], advance: Advance) -> dict[str, bytes]:
    """The checksum of each of the documents, by id."""
    found: dict[str, bytes] = {}
    for batch in batch_records(records):
        found |= hash_documents(store, batch)
        advance(sum(record.chunks for record in batch))
    return found


def hash_documents(store: CompleteStore, records: Sequence[DocumentRecord]) -> dict[str, bytes]:
    """Checksums of a few documents by id."""
    read = {found.document.id: found for found in store.export([record.id for record in records])}
    return {record.id: _hash_record(record, read.get(record.id)) for record in records}


def batch_records(records: Sequence[DocumentRecord]) -> Iterator[list[DocumentRecord]]:
    """The records, oldest first, in lists of bounded size; a document of more chunks stands alone."""
    batch: list[DocumentRecord] = []
    chunks = 0
    for record in sorted(records, key=lambda record: (record.added_at, record.id)):
        if batch and (chunks + record.chunks > BATCH_CHUNKS or len(batch) == BATCH_DOCUMENTS):
            yield batch
            batch, chunks = [], 0
        batch.append(record)
        chunks += record.chunks
    if batch:
        yield batch


def _copy_failure(target: CompleteStore, record: DocumentRecord, tenant: str, is_there: bool) -> None:
    """Note a document that could not be read; what the target has of it from before goes."""
    if is_there:
        target.delete(Filter(document_ids=(record.id,), tenant=tenant))
    unread = Document(
        id=record.id,
        text="",
        title=record.title,
        kind=record.kind,
        source=record.source,
        url=record.url,
        author=record.author,
        published_at=record.published_at,
        language=record.language,
        tags=record.tags,
        profile=record.profile,
        conversation_id=record.conversation_id,
        tenant=tenant,
        document_profile=record.document_profile,
    )
    target.mark_failed(unread, record.reason)


def _hash_record(record: DocumentRecord, found: IndexedDocument | None) -> bytes:
    """Of a document as it was exported; of its record where it has no text because it was never read."""
    return hash_document(found) if found else hash_failure(record)


class MigrationListener(Protocol):
    """Hears how far a migration has come."""

    def stage(self, name: str, chunks: int) -> None:
        """``name`` begins (copying, indexing, conversations and files, graph, verifying) and will go over so many
        chunks; 0 where that is not known.
        """
        ...

    def report_progress(self, chunks: int) -> None:
        """So many more chunks are done."""
        ...


class Unheard:
    """A listener without a viewer."""

    def stage(self, name: str, chunks: int) -> None:
        """Nothing."""

    def report_progress(self, chunks: int) -> None:
        """Nothing."""
