"""The metadata of the documents: those of a kind, those that name a subject, by their dates."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from ascertain.core.asking.passages import Filter
from ascertain.core.asking.plans import Aspect, DocumentQuestion
from ascertain.core.documents.documents import DocumentRecord, DocumentState
from ascertain.core.reports.overviews import Catalogue
from ascertain.core.settings.profiles import Profile
from ascertain.retrieval.search.documents import select_kind
from ascertain.retrieval.search.subjects import OtherNames, count_mentions, read_subject_names
from ascertain.stores.ports.chunks import CompleteStore


class CatalogueReader:
    """Reads the metadata of a store's documents. Safe to share between threads."""

    def __init__(
        self, store: CompleteStore, profiles: Sequence[Profile], other_names: OtherNames | None = None
    ) -> None:
        """``other_names`` gives all names of a thing of the graph."""
        self._store = store
        self._profiles = profiles
        self._other_names = other_names

    def read_catalogue(self, asked: DocumentQuestion, filter: Filter, language: str) -> Catalogue | None:
        """The documents that ``asked`` means among what ``filter`` selects; None where there are none. Raises StoreError."""
        records = self._store.documents(filter)
        whole = [each for each in records if each.state is DocumentState.INDEXED]
        copies = sum(each.state is DocumentState.DUPLICATE for each in records)
        meant = select_kind(asked.name, whole, language) if asked.name else whole
        copies = 0 if asked.name or asked.focus else copies
        catalogue = Catalogue((), len(whole), copies)
        if asked.focus:
            others = self._other_names(asked.focus, filter.tenant) if self._other_names is not None else ()
            subject = read_subject_names(asked.focus, self._profiles, language, others)
            mentions = count_mentions(self._store, subject, filter)
            meant = [each for each in meant if each.id in mentions.documents]
            catalogue = replace(
                catalogue, names=subject.names, naming=subject.pattern, is_complete=mentions.is_complete
            )
        if not meant:
            return None
        by_name = sorted(meant, key=lambda each: each.source)
        by_day = sorted(by_name, key=_read_added if asked.aspect is Aspect.ADDED_LAST else _read_day, reverse=True)
        return replace(catalogue, records=tuple(by_day))


def _read_day(record: DocumentRecord) -> float:
    return _to_seconds(record.published_at)


def _read_added(record: DocumentRecord) -> float:
    return _to_seconds(record.added_at)


def _to_seconds(time: datetime | None) -> float:
    return float("-inf") if time is None else time.timestamp()
