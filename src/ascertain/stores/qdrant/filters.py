"""A filter as conditions on points."""

from __future__ import annotations

from datetime import UTC, datetime

from ascertain.core.filters import OWN, Filter
from ascertain.stores.escaping import escaped
from ascertain.stores.qdrant.conditions import AnyOf, Condition, Lacks, Period, StartsWith, Where
from ascertain.stores.qdrant.names import chunk_name, document_point
from ascertain.stores.qdrant.schema import What
from ascertain.stores.source_prefixes import CHILD_SEPARATORS, prefixes


def chunks_where(filter: Filter) -> Where:
    """Which searchable chunks ``filter`` selects."""
    conditions = _conditions(filter)
    if filter.chunk_ids:
        conditions.append(AnyOf("name", [chunk_name(chunk_id) for chunk_id in filter.chunk_ids]))
    return Where((AnyOf("what", [What.CHUNK.value]), *conditions))


def documents_where(filter: Filter) -> Where:
    """Which documents ``filter`` selects, its ``chunk_ids`` left out."""
    return Where((AnyOf("what", [What.DOCUMENT.value]), *_conditions(filter)))


def owners_where(filter: Filter) -> Where:
    """The chunks, parents included, that ``filter`` names by ``chunk_ids`` and selects by the rest."""
    names = AnyOf("name", [chunk_name(chunk_id) for chunk_id in filter.chunk_ids])
    kinds = AnyOf("what", [What.CHUNK.value, What.PARENT.value])
    return Where((kinds, names, *_conditions(filter)))


def moment(value: datetime) -> str:
    """A moment as Qdrant compares it, to the microsecond; a naive one is taken as UTC."""
    aware = value if value.tzinfo else value.replace(tzinfo=UTC)
    try:
        utc = aware.astimezone(UTC)
    except OverflowError:
        # The first and the last day of the calendar may not exist in UTC.
        utc = aware.replace(tzinfo=UTC)
    return utc.isoformat(timespec="microseconds")


def _conditions(filter: Filter) -> list[Condition]:
    conditions: list[Condition] = [AnyOf("tenant", [escaped(filter.tenant)])]
    for key, values in (
        ("owner", [document_point(document_id) for document_id in filter.document_ids]),
        ("kind", [kind.value for kind in filter.kinds]),
        ("tags", [escaped(tag) for tag in filter.tags]),
        ("profile", [escaped(profile) for profile in filter.profiles]),
        ("conversation", [] if filter.conversation_id is None else [escaped(filter.conversation_id)]),
    ):
        if values:
            conditions.append(AnyOf(key, values))
    if filter.sources:
        conditions.append(_sources(filter.sources))
    if filter.within is not None:
        conditions.append(_within(filter.within))
    if filter.has_dates:
        start, end = filter.published_from, filter.published_before
        conditions.append(Period("published", start and moment(start), end and moment(end)))
    return conditions


def _within(conversations: tuple[str, ...]) -> Condition:
    named = AnyOf("conversation", list(map(escaped, conversations)))
    return Where(should=(Lacks("conversation"), named)) if OWN in conversations else named


def _sources(sources: tuple[str, ...]) -> Where:
    """Exact sources, folders that are values of ``within``, and beginnings that are neither."""
    folders: list[str] = []
    beginnings: list[Condition] = []
    for source in sources:
        for prefix in map(escaped, prefixes(source)):
            if prefix.endswith(CHILD_SEPARATORS):
                folders.append(prefix)
            else:
                beginnings.append(StartsWith("source", prefix))
    choices: list[Condition] = [AnyOf("source", list(map(escaped, sources))), *beginnings]
    if folders:
        choices.append(AnyOf("within", folders))
    return Where(should=tuple(choices))
