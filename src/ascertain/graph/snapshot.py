"""A snapshot: the graph of one tenant at one moment, in arrays.

All queries of the graph use a snapshot: what a name stands for, what is named with it and where, how
two things are connected. Equal ``GraphColumns`` and pins give equal snapshots.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ascertain.core.graph.nouns import Pin, Relation, Role
from ascertain.graph.extraction.kinds import is_person
from ascertain.graph.keys import key_of
from ascertain.graph.resolution import Merge, Resolution, normal_form, resolve_names
from ascertain.stores.ports.graph import GraphColumns, Indices

Offsets = NDArray[np.int64]
Mask = NDArray[np.bool_]
ROLES = tuple(Role)
"""``mention_role`` is a place in it."""


@dataclass(frozen=True, slots=True)
class Groups:
    """``rows[starts[g]:starts[g + 1]]`` are the rows of group ``g``, ascending."""

    starts: Offsets
    rows: Indices

    @classmethod
    def of(cls, labels: Indices, count: int) -> Groups:
        """The rows of each of ``count`` groups, by the group of each row."""
        starts = np.zeros(count + 1, dtype=np.int64)
        np.cumsum(np.bincount(labels, minlength=count), out=starts[1:])
        return cls(starts, np.argsort(labels, kind="stable").astype(np.int32))

    def __getitem__(self, group: int) -> Indices:
        """The rows of one group."""
        return self.rows[self.starts[group] : self.starts[group + 1]]

    def __len__(self) -> int:
        """How many groups there are."""
        return len(self.starts) - 1

    def join_groups(self, groups: Indices) -> tuple[Indices, Indices]:
        """The rows of several groups one after the other, and for each the place in ``groups`` that it comes from."""
        starts, ends = self.starts[groups], self.starts[groups + 1]
        lengths = ends - starts
        origin = np.repeat(np.arange(len(groups), dtype=np.int32), lengths)
        shift = starts - np.concatenate([[0], np.cumsum(lengths)[:-1]]) if len(groups) else starts
        return self.rows[np.arange(int(lengths.sum())) + shift[origin]], origin


def resolve_columns(columns: GraphColumns, pins: Sequence[Pin]) -> Resolution:
    """Which names mean the same thing; documents fetched for conversations do not affect the others."""
    private = frozenset(
        document
        for document, conversation in zip(columns.documents, columns.conversations, strict=True)
        if conversation is not None
    )
    claiming = {claim.chunk_id for claim in columns.aliases}
    documents = {
        chunk_id: columns.documents[int(document)]
        for chunk_id, document in zip(columns.chunk_ids, columns.chunk_document, strict=True)
        if chunk_id in claiming
    }
    keys = {name.key for name in columns.names}
    keys |= {key for relation in columns.relations for key in (relation.subject, relation.object)}
    return resolve_names(keys, columns.aliases, documents, pins, private=private, people=_list_people(columns))


def _list_people(columns: GraphColumns) -> frozenset[str]:
    """Keys of what documents that belong to no conversation name as people, and nothing else as another kind."""
    is_public = np.array([conversation is None for conversation in columns.conversations], dtype=np.bool_)
    in_public = is_public[columns.chunk_document][columns.mention_chunk]
    kinds: dict[str, set[str]] = {}
    for name in (columns.names[int(place)] for place in np.unique(columns.mention_name[in_public])):
        if name.kind:
            kinds.setdefault(name.key, set()).add(name.kind)
    return frozenset(key for key, found in kinds.items() if all(is_person(kind) for kind in found))


def mention_entities(columns: GraphColumns, found: Resolution, names: Mapping[str, int]) -> Indices:
    """The entity of each mention; a homonym's is that of its document."""
    usual = np.array([names[name.key] for name in columns.names], dtype=np.int32)
    entity = usual[columns.mention_name] if usual.size else np.zeros(0, dtype=np.int32)
    if not found.within:
        return entity
    document_of = {document: place for place, document in enumerate(columns.documents)}
    by_key: dict[str, list[int]] = {}
    for place, name in enumerate(columns.names):
        by_key.setdefault(name.key, []).append(place)
    order = np.argsort(columns.mention_name, kind="stable")
    sorted_names = columns.mention_name[order]
    mention_document = columns.chunk_document[columns.mention_chunk]
    for (document, key), leader in found.within.items():
        for name in by_key.get(key, ()):
            rows = order[np.searchsorted(sorted_names, name) : np.searchsorted(sorted_names, name, "right")]
            entity[rows[mention_document[rows] == document_of[document]]] = names[leader]
    return entity


def entity_kinds(columns: GraphColumns, entity: Indices, size: int) -> tuple[str, ...]:
    """The kind that most mentions of each entity are of; "" where none is known, ties by name."""
    kinds = sorted({name.kind for name in columns.names} - {""})
    if not kinds:
        return ("",) * size
    place = {kind: number for number, kind in enumerate(kinds)}
    of_name = np.array([place.get(name.kind, -1) for name in columns.names], dtype=np.int64)
    of_mention = of_name[columns.mention_name]
    known = of_mention >= 0
    pairs, counts = np.unique(entity[known].astype(np.int64) * len(kinds) + of_mention[known], return_counts=True)
    best: dict[int, tuple[int, int]] = {}
    for pair, count in zip(pairs.tolist(), counts.tolist(), strict=True):
        index, kind = divmod(pair, len(kinds))
        best[index] = max(best.get(index, (0, 0)), (count, -kind))
    return tuple(kinds[-best[index][1]] if index in best else "" for index in range(size))


@dataclass(frozen=True, slots=True)
class Entity:
    """A thing that documents name.

    ``index`` is its place in the snapshot and means nothing beyond it; ``key`` stands for it as long as its names do.
    ``label`` is how it is written most often, ``names`` are all ways, most frequent first. ``mentions`` and ``chunks``
    count where it is named, by a text or as who speaks; the title above a text is no mention. ``documents`` counts those
    that name it or are called so.
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

    Entities are numbered by their keys in order. Of shape (mentions,) and in the order of the columns:
    ``mention_entity``, ``mention_chunk``, ``mention_sentence`` (where the sentence starts in its document),
    ``mention_role`` (a place in ``ROLES``), ``mention_name`` (a place in ``written``). ``relations`` are as the
    documents make them; ``relation_ends``, of shape (relations, 2), are the entities they join.
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
        """The snapshot of what a tenant's documents say, with the decisions about names."""
        found = resolve_columns(columns, pins)
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
        """Over how many chunks each entity is named, titles included; shape (entities,)."""
        pairs = np.unique(self.mention_entity.astype(np.int64) << 32 | self.mention_chunk)
        return np.bincount(pairs >> 32, minlength=self.size).astype(np.int32)

    @cached_property
    def is_title(self) -> Mask:
        """Which mentions are titles, repeated over all passages of their documents; shape (mentions,)."""
        return self.mention_role == ROLES.index(Role.TITLE)

    def count_named(self, rows: Indices) -> Indices:
        """In how many chunks each entity is named by a text or as who speaks, going by the mentions ``rows``; shape
        (entities,).
        """
        in_text = rows[~self.is_title[rows]]
        pairs = np.unique(self.mention_entity[in_text].astype(np.int64) << 32 | self.mention_chunk[in_text])
        return np.bincount(pairs >> 32, minlength=self.size).astype(np.int32)

    @cached_property
    def named_counts(self) -> Indices:
        """``count_named`` of all mentions."""
        return self.count_named(np.arange(len(self.mention_entity), dtype=np.int32))

    @cached_property
    def rarity(self) -> NDArray[np.float64]:
        """How rare each entity is: its inverse document frequency over that of one in a single chunk, 0..1; shape
        (entities,).

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
        """The thing of a name or key; None for an unknown name. Looser matches are for ``linking``."""
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

    def label(self, index: int) -> str:
        """What the entity of that number is called."""
        return _choose_label(self._list_names(index), self.keys[index])

    def _list_names(self, index: int) -> tuple[str, ...]:
        """How it is written, most often first."""
        names: list[int] = self.mention_name[self.by_entity[index]].tolist()
        ways = Counter(self.written[name] for name in names)
        return tuple(sorted(ways, key=lambda way: (-ways[way], -len(way), way)))

    def at(self, index: int) -> Entity:
        """The entity of that number."""
        rows, names = self.by_entity[index], self._list_names(index)
        in_text = rows[~self.is_title[rows]]
        return Entity(
            index=index,
            key=self.keys[index],
            label=_choose_label(names, self.keys[index]),
            kind=self.kinds[index],
            names=names,
            mentions=len(in_text),
            chunks=len(np.unique(self.mention_chunk[in_text])),
            documents=len(np.unique(self.chunk_document[self.mention_chunk[rows]])),
        )

    def entities(self, limit: int | None = None) -> list[Entity]:
        """Those that are named in most chunks first; ties by key."""
        named = np.flatnonzero(self.chunk_counts)
        order = named[np.lexsort((named, -self.named_counts[named]))]
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
        """Why the names of an entity were merged."""
        index = entity if isinstance(entity, int) else entity.index
        return [merge for merge in self.merges if index in {self.names[merge.left], self.names[merge.right]}]

    def visible(self, conversations: Iterable[str] | None = None, documents: Iterable[str] | None = None) -> Mask:
        """Chunks of these conversations ("" for none) and documents, None for any; shape (chunks,)."""
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


def _choose_label(names: Sequence[str], key: str) -> str:
    """As the key is most often written; as any of its names is, when the key itself is never written."""
    own = [name for name in names if key_of(name) == key]
    return own[0] if own else next(iter(names), key)
