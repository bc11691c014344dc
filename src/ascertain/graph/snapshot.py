"""A snapshot: the graph of one tenant as one moment saw it, in arrays.

Everything that asks the graph something asks a snapshot: what a name stands for, what is named with it and where, how two things hang
together. Equal ``GraphColumns`` and pins give equal snapshots.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ascertain.core.graph import Pin, Relation, Role
from ascertain.graph.grouping import Groups
from ascertain.graph.keys import key_of
from ascertain.graph.mention_entities import entity_kinds, mention_entities, resolution
from ascertain.graph.resolution import Merge, normal_form
from ascertain.stores.graph_ports import GraphColumns, Indices

Mask = NDArray[np.bool_]

ROLES = tuple(Role)
"""``mention_role`` is a place in it."""


@dataclass(frozen=True, slots=True)
class Entity:
    """A thing that documents name.

    ``index`` is its place in the snapshot and means nothing beyond it; ``key`` stands for it as long as its names do. ``label`` is how it is
    written most often, ``names`` are all ways, most frequent first. ``mentions``, ``chunks`` and ``documents`` count where it is named.
    """

    index: int
    key: str
    label: str
    kind: str
    names: tuple[str, ...]
    mentions: int
    chunks: int
    documents: int


@dataclass(frozen=True, eq=False)
class Snapshot:
    """One tenant's graph.

    Entities are numbered by their keys in order. Of shape (mentions,) and in the order of the columns: ``mention_entity``, ``mention_chunk``,
    ``mention_sentence`` (where the sentence starts in its document), ``mention_role`` (a place in ``ROLES``), ``mention_name`` (a place in
    ``written``). ``relations`` are as the documents make them; ``relation_ends``, of shape (relations, 2), are the entities they join.
    """

    generation: str
    documents: Sequence[str]
    conversations: Sequence[str | None]
    chunk_ids: Sequence[str]
    chunk_document: Indices
    keys: Sequence[str]
    kinds: Sequence[str]
    names: Mapping[str, int]
    """The entity of every key."""
    written: Sequence[str]
    mention_entity: Indices
    mention_chunk: Indices
    mention_sentence: Indices
    mention_role: Indices
    mention_name: Indices
    relations: Sequence[Relation]
    relation_ends: Indices
    merges: Sequence[Merge]
    refused: Sequence[Merge] = ()

    @classmethod
    def of(cls, columns: GraphColumns, pins: Sequence[Pin] = ()) -> Snapshot:
        """The snapshot of what a tenant's documents say, under what was decided about names."""
        found = resolution(columns, pins)
        leaders = sorted(set(found.leader.values()))
        index = {leader: place for place, leader in enumerate(leaders)}
        names = {key: index[leader] for key, leader in found.leader.items()}
        entity = mention_entities(columns, found, names)
        ends = [(names[relation.subject], names[relation.object]) for relation in columns.relations]
        return cls(
            generation=columns.generation,
            documents=tuple(columns.documents),
            conversations=tuple(columns.conversations),
            chunk_ids=tuple(columns.chunk_ids),
            chunk_document=columns.chunk_document,
            keys=tuple(leaders),
            kinds=entity_kinds(columns, entity, len(leaders)),
            names=names,
            written=tuple(name.written for name in columns.names),
            mention_entity=entity,
            mention_chunk=columns.mention_chunk,
            mention_sentence=columns.mention_sentence,
            mention_role=columns.mention_role,
            mention_name=columns.mention_name,
            relations=tuple(columns.relations),
            relation_ends=np.array(ends, dtype=np.int32).reshape(-1, 2),
            merges=found.merges,
            refused=found.refused,
        )

    @property
    def size(self) -> int:
        """How many entities there are, those named nowhere any more included."""
        return len(self.keys)

    @cached_property
    def chunk_place(self) -> Mapping[str, int]:
        """The place of each chunk id."""
        return {chunk_id: place for place, chunk_id in enumerate(self.chunk_ids)}

    @cached_property
    def by_entity(self) -> Groups:
        """Mentions of each entity."""
        return Groups.of(self.mention_entity, self.size)

    @cached_property
    def by_chunk(self) -> Groups:
        """Mentions in each chunk."""
        return Groups.of(self.mention_chunk, len(self.chunk_ids))

    @cached_property
    def sentence_group(self) -> Indices:
        """The number of the sentence that each mention stands in, counted over all chunks; shape (mentions,)."""
        pairs = self.mention_chunk.astype(np.int64) << 32 | self.mention_sentence
        return np.unique(pairs, return_inverse=True)[1].astype(np.int32)

    @cached_property
    def by_sentence(self) -> Groups:
        """Mentions in each sentence."""
        groups = self.sentence_group
        return Groups.of(groups, int(groups.max(initial=-1)) + 1)

    @cached_property
    def chunk_counts(self) -> Indices:
        """In how many chunks each entity is named; shape (entities,)."""
        pairs = np.unique(self.mention_entity.astype(np.int64) << 32 | self.mention_chunk)
        return np.bincount(pairs >> 32, minlength=self.size).astype(np.int32)

    @cached_property
    def rarity(self) -> NDArray[np.float64]:
        """How rare each entity is: its inverse document frequency over that of one in a single chunk, 0..1; shape (entities,).

        0 for what a single chunk names, or none: it leads nowhere.
        """
        counts = self.chunk_counts.astype(np.float64)
        total = max(len(self.chunk_ids), 1)
        inverse = np.log1p((total - counts + 0.5) / (counts + 0.5))
        return np.where(counts > 1, inverse / np.log1p((total - 0.5) / 1.5), 0.0)

    @cached_property
    def place_counts(self) -> Indices:
        """In how many sentences each entity stands; shape (entities,)."""
        pairs = np.unique(self.mention_entity.astype(np.int64) << 32 | self.sentence_group)
        return np.bincount(pairs >> 32, minlength=self.size).astype(np.int32)

    @cached_property
    def by_relation_end(self) -> Groups:
        """Ends of relations by entity: row ``2 * r`` is the subject of relation ``r``, ``2 * r + 1`` its object."""
        return Groups.of(self.relation_ends.reshape(-1), self.size)

    def entity(self, name: str) -> Entity | None:
        """The thing that a name or its key stands for, None when nothing is called so; looser matches are for ``linking``."""
        place = self.place(name)
        return None if place is None else self.at(place)

    def place(self, name: str) -> int | None:
        """The index of ``entity(name)``."""
        for key in (name, key_of(name)):
            found = self.names.get(key)
            found = self.names.get(normal_form(key)) if found is None else found
            if found is not None:
                return found
        return None

    def at(self, index: int) -> Entity:
        """The entity of that number."""
        rows = self.by_entity[index]
        counts = np.bincount(self.mention_name[rows]) if rows.size else np.zeros(0, dtype=np.int64)
        ways: dict[str, int] = {}
        for name in np.flatnonzero(counts).tolist():
            ways[self.written[name]] = ways.get(self.written[name], 0) + int(counts[name])
        names = tuple(sorted(ways, key=lambda way: (-ways[way], -len(way), way)))
        chunks = np.unique(self.mention_chunk[rows])
        return Entity(
            index=index,
            key=self.keys[index],
            label=_label(names, self.keys[index]),
            kind=self.kinds[index],
            names=names,
            mentions=len(rows),
            chunks=len(chunks),
            documents=len(np.unique(self.chunk_document[chunks])),
        )

    def entities(self, limit: int | None = None) -> list[Entity]:
        """Those that are named in most chunks first; ties by key."""
        named = np.flatnonzero(self.chunk_counts)
        order = named[np.lexsort((named, -self.chunk_counts[named]))]
        return [self.at(index) for index in order[:limit].tolist()]

    def chunks_of(self, entity: int, visible: Mask | None = None) -> Indices:
        """Places of the chunks that name an entity, in order."""
        chunks = np.unique(self.mention_chunk[self.by_entity[entity]])
        return chunks if visible is None else chunks[visible[chunks]]

    def passages(self, entity: Entity | int, visible: Mask | None = None) -> list[str]:
        """Ids of the chunks that name an entity, in order."""
        index = entity if isinstance(entity, int) else entity.index
        return [self.chunk_ids[int(chunk)] for chunk in self.chunks_of(index, visible)]

    def entities_in(self, chunk_id: str) -> list[int]:
        """The entities that a chunk names, in order of number; none for an unknown chunk."""
        place = self.chunk_place.get(chunk_id)
        return [] if place is None else np.unique(self.mention_entity[self.by_chunk[place]]).tolist()

    def merges_of(self, entity: Entity | int) -> list[Merge]:
        """Why the names of an entity are taken for one."""
        index = entity if isinstance(entity, int) else entity.index
        return [merge for merge in self.merges if index in {self.names[merge.left], self.names[merge.right]}]

    def visible(
        self, conversations: Iterable[str] | None = None, documents: Iterable[str] | None = None
    ) -> Mask:
        """Which chunks are of one of these conversations ("" for none; None for any) and documents (None for any); shape (chunks,)."""
        admitted = np.ones(len(self.documents), dtype=np.bool_)
        if conversations is not None:
            wanted = set(conversations)
            numbers = [number for name, number in self._conversation_numbers.items() if name in wanted]
            admitted &= np.isin(self._conversation_of, numbers)
        if documents is not None:
            named = np.zeros(len(self.documents), dtype=np.bool_)
            named[[self._document_place[one] for one in documents if one in self._document_place]] = True
            admitted &= named
        return admitted[self.chunk_document]

    @cached_property
    def _document_place(self) -> Mapping[str, int]:
        return {document: place for place, document in enumerate(self.documents)}

    @cached_property
    def _conversation_numbers(self) -> Mapping[str, int]:
        """Every conversation that documents were fetched for, "" for none, with a number."""
        names = sorted({conversation or "" for conversation in self.conversations})
        return {name: number for number, name in enumerate(names)}

    @cached_property
    def _conversation_of(self) -> Indices:
        """The number of each document's conversation; shape (documents,)."""
        numbers = self._conversation_numbers
        return np.array([numbers[conversation or ""] for conversation in self.conversations], dtype=np.int32)


def _label(names: Sequence[str], key: str) -> str:
    """As the key is most often written; as any of its names is, when the key itself is never written."""
    own = [name for name in names if key_of(name) == key]
    return own[0] if own else next(iter(names), key)
