"""A filter as SQL over ``documents d`` (and ``chunks c``), with bound parameters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ascertain.core.filters import Filter
from ascertain.stores.postgres.text import Stored, escaped
from ascertain.stores.rows import microseconds
from ascertain.stores.source_prefixes import prefixes

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
        parameters.append(list(filter.tags))
    if filter.published_from is not None:
        parts.append("d.published >= %s")
        parameters.append(microseconds(filter.published_from))
    if filter.published_before is not None:
        parts.append("d.published < %s")
        parameters.append(microseconds(filter.published_before))
    if filter.conversation_id is not None:
        parts.append("d.conversation_id = %s")
        parameters.append(filter.conversation_id)
    if filter.chunk_ids:
        parts.append("d.number IN (SELECT named.document FROM chunks named WHERE named.id = ANY(%s))")
        parameters.append(list(filter.chunk_ids))
    return Condition(" AND ".join(parts), tuple(parameters))


def row_condition(filter: Filter, row: str) -> Condition:
    """Which searchable chunks ``filter`` selects, in a statement where ``row`` is the column with the chunk's row."""
    documents = document_condition(filter)
    if not filter.chunk_ids:
        return documents
    return Condition(
        f'{documents.sql} AND {row} IN (SELECT named."row" FROM chunks named WHERE named.id = ANY(%s))',
        (*documents.parameters, list(filter.chunk_ids)),
    )


def _sources(sources: Sequence[str]) -> Condition:
    exact = [source for source in sources if not source.endswith("*")]
    parts = ["d.source = ANY(%s)"] if exact else []
    parameters: list[object] = [exact] if exact else []
    for prefix in (prefix for source in sources for prefix in prefixes(source)):
        start = escaped(prefix)
        end = after_prefix(start)
        parts.append("d.source >= %s" if end is None else "(d.source >= %s AND d.source < %s)")
        parameters.extend([Stored(start)] if end is None else [Stored(start), Stored(end)])
    return Condition(f"({' OR '.join(parts)})", tuple(parameters))


def after_prefix(prefix: str) -> str | None:
    """The least string greater than every string that begins with ``prefix``, in code point order; None when there is none."""
    shortened = prefix.rstrip(_LAST_CHARACTER)
    if not shortened:
        return None
    following = chr(ord(shortened[-1]) + 1)
    return shortened[:-1] + (_AFTER_SURROGATES if following == _FIRST_SURROGATE else following)
