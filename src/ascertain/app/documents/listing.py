"""Lists of documents for browsing: sorted, and searched by words."""

from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from urllib.parse import urlsplit

from ascertain.core.documents.documents import DocumentRecord

_LONG_AGO = datetime.min.replace(tzinfo=UTC)


def sort_records(records: Sequence[DocumentRecord], order: str) -> list[DocumentRecord]:
    """By ``source``, ``title``, ``added`` or ``published``; a minus before it reverses the order. Documents without a date are
    the last by date, in either order.
    """
    name = order.removeprefix("-")
    is_reversed = order.startswith("-")
    if name == "title":
        return sorted(records, key=lambda each: (each.title.casefold(), each.source), reverse=is_reversed)
    if name == "added":
        return sorted(records, key=lambda each: (each.added_at, each.source), reverse=is_reversed)
    if name == "published":
        dated = [each for each in records if each.published_at is not None]
        dated.sort(key=lambda each: (each.published_at or _LONG_AGO, each.source), reverse=is_reversed)
        return [*dated, *(each for each in records if each.published_at is None)]
    return sorted(records, key=lambda each: each.source, reverse=is_reversed)


def count_facets(records: Iterable[DocumentRecord]) -> dict[str, Counter[str]]:
    """How many documents there are of each kind, folder or site, tag and language: what a question can be narrowed to."""
    counts: dict[str, Counter[str]] = {name: Counter() for name in ("kinds", "sources", "tags", "languages")}
    for record in records:
        counts["kinds"][record.kind.value] += 1
        counts["sources"][name_origin(record.source)] += 1
        counts["tags"].update(set(record.tags))
        if record.language:
            counts["languages"][record.language] += 1
    return counts


def name_origin(source: str) -> str:
    """The folder or site of a document, as ``Filter.sources`` takes it."""
    parts = urlsplit(source)
    if parts.scheme in {"http", "https"} and parts.netloc:
        return f"{parts.scheme}://{parts.netloc}/*"
    if source.startswith("upload:"):
        return "upload:*"
    return source.partition("#")[0].rpartition("/")[0] + "/" if "/" in source else ""


def has_words(record: DocumentRecord, words: Sequence[str]) -> bool:
    """Whether each of ``words``, in small letters, stands in the title, author, source or tags."""
    if not words:
        return True
    text = " ".join((record.title, record.author or "", record.source, *record.tags)).casefold()
    return all(word in text for word in words)
