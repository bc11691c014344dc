"""Bringing the store into step with the folders it was filled from."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from ascertain.core.documents import DocumentRecord, DocumentState
from ascertain.core.filters import Filter
from ascertain.ingest.tally import Seen
from ascertain.stores.ports import CompleteStore

_BATCH = 500


def delete_vanished(
    store: CompleteStore, under: Filter, files: Collection[Path], skipped: Collection[Path], seen: Seen
) -> int:
    """Delete the documents that are no longer there, of those that ``under`` selects by the folders they came from; how many.

    Kept are those of a file that could not be read this time, or is or lies under one of ``skipped``: they may well be there.
    """
    present = {str(path) for path in files}
    passed_over = set(skipped)
    gone: list[str] = []
    for record in _under(store, under):
        file = _file_of(record, present)
        if file in present:
            was_read = seen.files.get(file, False)
            vanished = was_read and record.id not in seen.documents and record.id not in seen.failed
        else:
            vanished = passed_over.isdisjoint((Path(file), *Path(file).parents))
        if vanished:
            gone.append(record.id)
    return _delete(store, under, gone)


def forget_old_failures(store: CompleteStore, under: Filter, seen: Seen) -> None:
    """Remove the records of failures that this run has shown to be over."""
    if not store.stats(under.tenant).by_state.get(DocumentState.FAILED):
        return
    over = [
        record.id
        for record in _under(store, under)
        if record.state is DocumentState.FAILED
        and not record.chunks
        and seen.files.get(_file_of(record, seen.files), False)
        and record.id not in seen.failed
        and record.id not in seen.documents
    ]
    _delete(store, under, over)


def delete_superseded(store: CompleteStore, under: Filter, seen: Seen) -> int:
    """Delete what the sources of ``under`` gave before and, read to their end, give no more: how many rows, beside failures."""
    gone = [
        record
        for record in _under(store, under)
        if seen.files.get(_file_of(record, seen.files), False)
        and record.id not in seen.documents
        and record.id not in seen.failed
    ]
    _delete(store, under, [record.id for record in gone])
    return sum(record.chunks > 0 for record in gone)


def _under(store: CompleteStore, under: Filter) -> list[DocumentRecord]:
    return store.documents(under) if under.sources else []


def _file_of(record: DocumentRecord, files: Collection[str] | Mapping[str, bool]) -> str:
    """The file a record came from: its source, without the row where what is before ``#`` is the file."""
    if record.source in files:
        return record.source
    path, _, row = record.source.rpartition("#")
    # "C# for all.pdf" is no row of a file "C"
    return path if row.isdecimal() and (path in files or not Path(record.source).exists()) else record.source


def _delete(store: CompleteStore, under: Filter, document_ids: Sequence[str]) -> int:
    return sum(
        store.delete(replace(under, document_ids=tuple(document_ids[start : start + _BATCH])))
        for start in range(0, len(document_ids), _BATCH)
    )
