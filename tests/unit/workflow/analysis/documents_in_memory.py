"""What an analysis runs on, in memory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime

from ascertain.core.asking.passages import Filter
from ascertain.core.documents.documents import Document, DocumentRecord, DocumentState
from ascertain.core.reports.analysis import DocumentMap
from ascertain.core.settings.profiles import load_profile
from ascertain.reports.analysis.mapping import DocumentMapper

NOW = datetime(2025, 6, 15, 18, tzinfo=UTC)
NEWS = load_profile("news")
MAPPER = DocumentMapper([NEWS])


class Folder:
    """Documents in memory."""

    def __init__(self, documents: Sequence[Document]) -> None:
        self._documents = {each.id: each for each in documents}

    def document(self, document_id: str) -> Document | None:
        return self._documents.get(document_id)

    def documents(self, filter: Filter = Filter()) -> list[DocumentRecord]:
        def is_within(moment: datetime | None) -> bool:
            if not filter.has_dates:
                return True
            after = filter.published_from is None or (moment is not None and moment >= filter.published_from)
            return (
                moment is not None and after and (filter.published_before is None or moment < filter.published_before)
            )

        return [
            DocumentRecord(
                *(each.id, each.title, each.kind, each.source, DocumentState.INDEXED, "", each.content_hash, 1),
                *(len(each.text), "news", NOW),
                published_at=each.published_at,
                author=each.author,
            )
            for each in self._documents.values()
            if is_within(each.published_at)
        ]


class Forgetful:
    """Keeps nothing."""

    def fetch(self, hashes: Mapping[str, str], version: str, tenant: str) -> dict[str, DocumentMap]:
        return {}

    def keep(self, maps: Sequence[DocumentMap], version: str, tenant: str) -> None: ...
