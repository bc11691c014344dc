"""A filter as SQL over ``documents d`` (and ``chunks c``), with bound parameters."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

from ascertain.core.filters import OWN, Filter
from ascertain.stores.escaping import escaped
from ascertain.stores.postgres.text import Stored
from ascertain.stores.rows import microseconds
from ascertain.stores.source_prefixes import prefixes

# Characters of a source and of a tag that are indexed (0001_documents.sql): an entry has room for 2,704 bytes.
_INDEXED = 400
_BEGINNING = f'"left"(d.source, {_INDEXED})'
_LAST_CHARACTER = "\U0010ffff"
_FIRST_SURROGATE, _AFTER_SURROGATES = "\ud800", "\ue000"


@dataclass(frozen=True, slots=True)
class Condition:
    """A WHERE clause and its parameters."""

    sql: str
    parameters: tuple[object, ...]


def document_condition(filter: Filter) -> Condition:
    """Which documents ``filter`` selects; with ``chunk_ids``, those that own one of the chunks."""
    parts: list[str] = ["d.tenant = %s"]
    parameters: list[object] = [filter.tenant]
    for column, values in (
        ("d.id", filter.document_ids),
        ("d.kind", tuple(map(str, filter.kinds))),
        ("d.profile", filter.profiles),
    ):
        if values:
            parts.append(f"{column} = ANY(%s)")
            parameters.append(list(values))
    if filter.sources:
        sources = _sources(filter.sources)
        parts.append(sources.sql)
        parameters.extend(sources.parameters)
    if filter.tags:
        parts.append("d.tag_names && %s::text[]")
        parameters.append(list(map(tag_key, filter.tags)))
    if filter.published_from is not None:
        parts.append("d.published >= %s")
        parameters.append(microseconds(filter.published_from))
    if filter.published_before is not None:
        parts.append("d.published < %s")
        parameters.append(microseconds(filter.published_before))
    if filter.conversation_id is not None:
        parts.append("d.conversation_id = %s")
        parameters.append(filter.conversation_id)
    if filter.within is not None:
        of_none = "d.conversation_id IS NULL OR " if OWN in filter.within else ""
        parts.append(f"({of_none}d.conversation_id = ANY(%s))")
        parameters.append(list(filter.within))
    if filter.chunk_ids:
        parts.append("d.number IN (SELECT named.document FROM chunks named WHERE named.id = ANY(%s))")
        parameters.append(list(filter.chunk_ids))
    return Condition(" AND ".join(parts), tuple(parameters))


def elsewhere_condition(tenant: str, within: Sequence[str]) -> Condition:
    """Which searchable documents of a tenant were fetched for other conversations than those named."""
    return Condition(
        "d.chunks > 0 AND d.tenant = %s AND d.conversation_id IS NOT NULL AND d.conversation_id <> ALL(%s)",
        (tenant, sorted({OWN, *within})),
    )


def row_condition(filter: Filter, row: str) -> Condition:
    """Which searchable chunks ``filter`` selects, in a statement where ``row`` is the column with the chunk's row."""
    documents = document_condition(filter)
    if not filter.chunk_ids:
        return documents
    return Condition(
        f'{documents.sql} AND {row} IN (SELECT named."row" FROM chunks named WHERE named.id = ANY(%s))',
        (*documents.parameters, list(filter.chunk_ids)),
    )


def tag_key(tag: str) -> str:
    """A tag as it is indexed: one that is longer than an index takes by its beginning and a hash."""
    if len(tag) <= _INDEXED:
        return tag
    return tag[:_INDEXED] + hashlib.sha256(tag.encode("utf-8", "surrogatepass")).hexdigest()


def _sources(sources: Sequence[str]) -> Condition:
    exact = [escaped(source) for source in sources if not source.endswith("*")]
    parts: list[str] = []
    parameters: list[object] = []
    if exact:
        parts.append(f"({_BEGINNING} = ANY(%s) AND d.source = ANY(%s))")
        parameters.append([Stored(source[:_INDEXED]) for source in exact])
        parameters.append(list(map(Stored, exact)))
    for prefix in (prefix for source in sources for prefix in prefixes(source)):
        start = escaped(prefix)
        if len(start) <= _INDEXED:
            interval = _interval(_BEGINNING, start)
            parts.append(interval.sql)
        else:
            interval = _interval("d.source", start)
            parts.append(f"({_BEGINNING} = %s AND {interval.sql})")
            parameters.append(Stored(start[:_INDEXED]))
        parameters.extend(interval.parameters)
    return Condition(f"({' OR '.join(parts)})", tuple(parameters))


def _interval(column: str, prefix: str) -> Condition:
    """What begins with ``prefix``, which is escaped already."""
    end = after_prefix(prefix)
    if end is None:
        return Condition(f"{column} >= %s", (Stored(prefix),))
    return Condition(f"({column} >= %s AND {column} < %s)", (Stored(prefix), Stored(end)))


def after_prefix(prefix: str) -> str | None:
    """The least string greater than every string that begins with ``prefix``, in code point order; None when there is none."""
    shortened = prefix.rstrip(_LAST_CHARACTER)
    if not shortened:
        return None
    following = chr(ord(shortened[-1]) + 1)
    return shortened[:-1] + (_AFTER_SURROGATES if following == _FIRST_SURROGATE else following)
