"""What the graph says of a name: other names of the same thing, and where it is named."""

from __future__ import annotations

from dataclasses import dataclass

from ascertain.core.filters import Filter
from ascertain.core.graph import Role
from ascertain.graph.snapshot import ROLES, Entity, Mask, Snapshot

MOST_FORMS = 8
"""Names looked for in the texts; a thing with more is a heap of misreadings."""
MOST_CHUNKS = 1000
"""Chunks taken from the graph for one name."""
_IN_TEXT = ROLES.index(Role.NAMED)


@dataclass(frozen=True, slots=True)
class KnownName:
    """``forms`` are the ways it is written in visible texts, most frequent first; ``chunk_ids`` where."""

    entity: Entity
    forms: tuple[str, ...]
    chunk_ids: tuple[str, ...]


def known_name(snapshot: Snapshot, name: str, filter: Filter) -> KnownName | None:
    """The thing called ``name`` as far as ``filter`` lets it be seen; None when nothing visible is called so."""
    entity = snapshot.entity(name)
    return None if entity is None else known_entity(snapshot, entity, filter)


def known_entity(snapshot: Snapshot, entity: Entity, filter: Filter) -> KnownName | None:
    """The same for an entity that is at hand."""
    rows = snapshot.by_entity[entity.index]
    rows = rows[visible(snapshot, filter)[snapshot.mention_chunk[rows]]]
    rows = rows[snapshot.mention_role[rows] == _IN_TEXT]
    ways: dict[str, int] = {}
    for row in snapshot.mention_name[rows]:
        written = snapshot.written[int(row)]
        ways[written] = ways.get(written, 0) + 1
    if not ways:
        return None
    forms = sorted(ways, key=lambda way: (-ways[way], way))[:MOST_FORMS]
    chunks = dict.fromkeys(snapshot.chunk_ids[int(row)] for row in snapshot.mention_chunk[rows])
    return KnownName(entity, tuple(forms), tuple(chunks)[:MOST_CHUNKS])


def visible(snapshot: Snapshot, filter: Filter) -> Mask:
    """The chunks of conversations and documents that ``filter`` allows; its other conditions are for the store."""
    among = (filter.conversation_id,) if filter.conversation_id is not None else filter.within
    return snapshot.visible(among, filter.document_ids or None)
