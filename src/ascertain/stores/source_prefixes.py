"""What a source in a filter stands for besides itself, and filters read plainly, for stores that look at every document."""

from __future__ import annotations

from ascertain.core.filters import OWN, Filter
from ascertain.stores.ports import IndexedDocument

CHILD_SEPARATORS = ("/", "#")
"""A source names a folder of files, or a table file whose rows are ``path#row``."""


def prefixes(source: str) -> tuple[str, ...]:
    """The prefixes that ``source`` stands for besides itself: a glob ending in ``*``, or a folder's contents."""
    if source.endswith("*"):
        return (source[:-1],)
    if source.endswith(CHILD_SEPARATORS):
        return (source,)
    return tuple(source + separator for separator in CHILD_SEPARATORS)


def ancestors(source: str) -> list[str]:
    """Every prefix of ``source`` that ends in a separator: the folders it is in, and the table file it is a row of."""
    return [source[: place + 1] for place, character in enumerate(source) if character in CHILD_SEPARATORS]


def matches_filter(written: IndexedDocument, filter: Filter) -> bool:
    """Whether ``filter`` selects a document; with ``chunk_ids``, whether it has one of the chunks."""
    document, moment = written.document, written.document.published_at
    return (
        document.tenant == filter.tenant
        and (not filter.document_ids or document.id in filter.document_ids)
        and (not filter.kinds or document.kind in filter.kinds)
        and (not filter.profiles or document.profile in filter.profiles)
        and (not filter.tags or not set(filter.tags).isdisjoint(document.tags))
        and (not filter.sources or any(_contains(source, document.source) for source in filter.sources))
        and (filter.published_from is None or (moment is not None and moment >= filter.published_from))
        and (filter.published_before is None or (moment is not None and moment < filter.published_before))
        and (filter.conversation_id is None or document.conversation_id == filter.conversation_id)
        and (filter.within is None or (document.conversation_id or OWN) in filter.within)
        and (not filter.chunk_ids or not {chunk.id for chunk in written.chunks}.isdisjoint(filter.chunk_ids))
    )


def _contains(wanted: str, source: str) -> bool:
    return source == wanted or source.startswith(prefixes(wanted))
