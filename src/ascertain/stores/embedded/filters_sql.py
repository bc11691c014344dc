"""A filter as SQL over ``documents d`` (and ``chunks c``), with bound parameters."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

from ascertain.core.filters import OWN, Filter
from ascertain.stores.rows import microseconds, sql_text
from ascertain.stores.source_prefixes import prefixes


@dataclass(frozen=True, slots=True)
class Condition:
    """A WHERE clause and its parameters."""

    sql: str
    parameters: tuple[object, ...]


def document_condition(filter: Filter) -> Condition:
    """Which documents ``filter`` selects; with ``chunk_ids``, those that own one of the chunks."""
    # With +, SQLite looks for the named documents first instead of going through all of the tenant's.
    is_narrow = bool(
        filter.document_ids
        or filter.chunk_ids
        or filter.tags
        or filter.conversation_id
        or (filter.within is not None and OWN not in filter.within)
    )
    parts: list[str] = ["+d.tenant = ?" if is_narrow else "d.tenant = ?"]
    parameters: list[object] = [sql_text(filter.tenant)]
    for column, values in (
        ("d.id", filter.document_ids),
        ("d.kind", tuple(map(str, filter.kinds))),
        ("d.profile", filter.profiles),
    ):
        if values:
            parts.append(f"{column} IN (SELECT value FROM json_each(?))")
            parameters.append(json.dumps(values))
    if filter.sources:
        sources = _sources(filter.sources)
        parts.append(sources.sql)
        parameters.extend(sources.parameters)
    if filter.tags:
        marks = ", ".join("?" * len(filter.tags))
        parts.append(f"d.number IN (SELECT document FROM document_tags WHERE tag IN ({marks}))")
        parameters.extend(map(sql_text, filter.tags))
    if filter.published_from is not None:
        parts.append("d.published >= ?")
        parameters.append(microseconds(filter.published_from))
    if filter.published_before is not None:
        parts.append("d.published < ?")
        parameters.append(microseconds(filter.published_before))
    if filter.conversation_id is not None:
        parts.append("d.conversation_id = ?")
        parameters.append(sql_text(filter.conversation_id))
    if filter.within is not None:
        within = _within(filter.within)
        parts.append(within.sql)
        parameters.extend(within.parameters)
    if filter.chunk_ids:
        parts.append("d.number IN (SELECT document FROM chunks WHERE id IN (SELECT value FROM json_each(?)))")
        parameters.append(json.dumps(filter.chunk_ids))
    return Condition(" AND ".join(parts), tuple(parameters))


def chunk_condition(filter: Filter) -> Condition:
    """Which searchable chunks ``filter`` selects."""
    documents = document_condition(filter)
    sql = f"c.is_parent = 0 AND {documents.sql}"
    if not filter.chunk_ids:
        return Condition(sql, documents.parameters)
    return Condition(
        f"{sql} AND c.id IN (SELECT value FROM json_each(?))",
        (*documents.parameters, json.dumps(filter.chunk_ids)),
    )


def elsewhere_condition(tenant: str, within: Sequence[str]) -> Condition:
    """Which searchable documents of a tenant were fetched for other conversations than those named."""
    visible = sorted({OWN, *within})
    return Condition(
        f"d.chunks > 0 AND d.tenant = ? AND d.conversation_id IS NOT NULL AND d.conversation_id NOT IN ({', '.join('?' * len(visible))})",
        (sql_text(tenant), *map(sql_text, visible)),
    )


def _within(conversations: Sequence[str]) -> Condition:
    named = f"d.conversation_id IN ({', '.join('?' * len(conversations))})"
    parameters = tuple(map(sql_text, conversations))
    if OWN not in conversations:
        return Condition(named, parameters)
    return Condition(f"(d.conversation_id IS NULL OR {named})", parameters)


def _sources(sources: Sequence[str]) -> Condition:
    parts: list[str] = []
    parameters: list[object] = []
    for source in sources:
        parts.append("d.source = ?")
        parameters.append(sql_text(source))
        for prefix in prefixes(source):
            # Text sorts before BLOBs in SQLite and both compare byte by byte, so a prefix is an interval of each.
            start = sql_text(prefix)
            if isinstance(start, str):
                parts.append("(d.source >= ? AND d.source < ?)")
                parameters.extend((start, prefix_end(start)))
            raw = prefix.encode("utf-8", "surrogatepass")
            parts.append("(d.source >= ? AND d.source < ?)")
            parameters.extend((raw, raw + b"\xff"))
    return Condition(f"({' OR '.join(parts)})", tuple(parameters))


def prefix_end(prefix: str) -> str:
    """A string greater than every string that begins with ``prefix`` (in code point order)."""
    return prefix + "\U0010ffff"
