"""A filter as SQL over ``documents d`` (and ``chunks c``), with bound parameters."""

from __future__ import annotations

from collections.abc import Sequence

from ascertain.core.filters import OWN, Filter
from ascertain.stores.relational.database import Condition, Dialect, marks
from ascertain.stores.rows import microseconds


def select_documents(filter: Filter, dialect: Dialect) -> Condition:
    """Which documents ``filter`` selects; with ``chunk_ids``, those that own one of the chunks."""
    is_narrow = bool(
        filter.document_ids
        or filter.chunk_ids
        or filter.tags
        or filter.conversation_id
        or (filter.within is not None and OWN not in filter.within)
    )
    parts = [dialect.match_tenant(filter.tenant, is_narrow=is_narrow)]
    for column, values in (
        ("d.id", filter.document_ids),
        ("d.kind", tuple(map(str, filter.kinds))),
        ("d.profile", filter.profiles),
    ):
        if values:
            parts.append(dialect.match_any(column, values))
    if filter.sources:
        parts.append(dialect.match_sources(filter.sources))
    if filter.tags:
        parts.append(dialect.match_tags(filter.tags))
    if filter.published_from is not None:
        parts.append(Condition("d.published >= ?", (microseconds(filter.published_from),)))
    if filter.published_before is not None:
        parts.append(Condition("d.published < ?", (microseconds(filter.published_before),)))
    if filter.conversation_id is not None:
        parts.append(Condition("d.conversation_id = ?", (filter.conversation_id,)))
    if filter.within is not None:
        of_none = "d.conversation_id IS NULL OR " if OWN in filter.within else ""
        parts.append(
            Condition(f"({of_none}d.conversation_id IN ({marks(filter.within)}))", tuple(filter.within))
        )
    if filter.chunk_ids:
        named = _select_named("document", filter.chunk_ids, dialect)
        parts.append(Condition(f"d.number IN ({named.sql})", named.parameters))
    return join_all(parts)


def select_chunks(filter: Filter, dialect: Dialect, row: str = 'c."row"') -> Condition:
    """Which chunks ``filter`` selects, in a statement where ``row`` is the column with the chunk's row."""
    documents = select_documents(filter, dialect)
    if not filter.chunk_ids:
        return documents
    named = _select_named('"row"', filter.chunk_ids, dialect)
    return join_all([documents, Condition(f"{row} IN ({named.sql})", named.parameters)])


def select_elsewhere(tenant: str, within: Sequence[str]) -> Condition:
    """Which searchable documents of a tenant were fetched for other conversations than those named."""
    visible = sorted({OWN, *within})
    return Condition(
        "d.chunks > 0 AND d.tenant = ? AND d.conversation_id IS NOT NULL "
        f"AND d.conversation_id NOT IN ({marks(visible)})",
        (tenant, *visible),
    )


def join_all(conditions: Sequence[Condition], word: str = " AND ") -> Condition:
    """All conditions, or with another word any of them."""
    parameters = (parameter for condition in conditions for parameter in condition.parameters)
    return Condition(word.join(condition.sql for condition in conditions), tuple(parameters))


def _select_named(column: str, chunk_ids: Sequence[str], dialect: Dialect) -> Condition:
    named = dialect.match_any("named.id", chunk_ids)
    return Condition(f"SELECT named.{column} FROM chunks named WHERE {named.sql}", named.parameters)
