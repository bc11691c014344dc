"""One tenant's graph as far as it may be seen, with the sentences behind it as checked citations; its themes; and what
somebody decides about names, which overrules every rule and can be taken back.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from difflib import get_close_matches
from functools import cached_property

import numpy as np

from ascertain.answering.citations import cite_span
from ascertain.core.asking.passages import OWN, Filter
from ascertain.core.documents.blocks import Span
from ascertain.core.documents.documents import Chunk, Document
from ascertain.core.errors import CitationError, UnknownEntity, UsageError
from ascertain.core.graph.nouns import Pin, Role
from ascertain.core.graph.results import (
    Between,
    CommunitiesView,
    CommunityView,
    Decided,
    EntityView,
    Evidence,
    FoundEntities,
    FoundEntity,
    LinkView,
    Merged,
    Merges,
    MergeView,
    NamedIn,
    Neighbourhood,
    PathView,
    Way,
)
from ascertain.graph.communities import Community
from ascertain.graph.keys import is_typed_for, key_of
from ascertain.graph.linking import NEAR, How, Linker
from ascertain.graph.resolution import Ground, Merge
from ascertain.graph.snapshot import ROLES, Mask, Snapshot
from ascertain.graph.snapshot_links import Link, Place, find_neighbours, find_paths
from ascertain.graph.theme_finding import SMALLEST, Landscape, ThemeFinder
from ascertain.graph.themes import Representative
from ascertain.language.languages import ENGLISH
from ascertain.language.sentences import split_sentences
from ascertain.stores.ports.chunks import CompleteStore
from ascertain.stores.ports.graph import GraphStore, Indices

READ_FOR_TOPICS = 200
"""Passages that name an entity whose topics are counted, the densest first."""
TOPICS = 12
"""Topics shown of an entity."""


class EvidenceReader:
    """Reads chunks and documents, each once; for one answer of the graph."""

    def __init__(self, store: CompleteStore) -> None:
        self._get: Callable[[Sequence[str]], list[Chunk]] = store.get
        self._document: Callable[[str], Document | None] = store.document
        self._chunks: dict[str, Chunk] = {}
        self._documents: dict[str, Document | None] = {}

    def fetch(self, chunk_ids: Iterable[str]) -> None:
        """Read these chunks together, for what is asked of them next."""
        wanted = [chunk_id for chunk_id in dict.fromkeys(chunk_ids) if chunk_id not in self._chunks]
        self._chunks |= {chunk.id: chunk for chunk in self._get(wanted)} if wanted else {}

    def evidence(self, places: Sequence[Place]) -> tuple[Evidence, ...]:
        """The sentences at ``places``, each once; what was deleted since the graph was read is left out."""
        self.fetch(place.chunk_id for place in places)
        found: dict[tuple[str, Span], Evidence] = {}
        for place in places:
            one = self._cite_place(place)
            if one is not None:
                found.setdefault((one.document_id, one.span), one)
        return tuple(found.values())

    def count_topics(self, chunk_ids: Iterable[str]) -> tuple[tuple[str, int], ...]:
        """What chunks are about, and how many of them each; the most frequent first."""
        wanted = list(chunk_ids)
        self.fetch(wanted)
        read = (self._chunks[chunk_id] for chunk_id in wanted if chunk_id in self._chunks)
        counts = Counter(topic for chunk in read for topic in chunk.topics)
        return tuple(sorted(counts.items(), key=lambda each: (-each[1], each[0]))[:TOPICS])

    def document(self, document_id: str) -> Document | None:
        """The document of this id, read once."""
        if document_id not in self._documents:
            self._documents[document_id] = self._document(document_id)
        return self._documents[document_id]

    def _cite_place(self, place: Place) -> Evidence | None:
        chunk = self._chunks.get(place.chunk_id)
        document = self.document(chunk.document_id) if chunk else None
        if chunk is None or document is None:
            return None
        span = place.relation.sentence if place.relation else sentence_at(chunk, place.sentence)
        try:
            return Evidence.of(chunk.id, cite_span(1, document, span), place.relation)
        except CitationError:
            return None  # the document was replaced between two reads


def sentence_at(chunk: Chunk, start: int) -> Span:
    """The sentence of ``chunk`` that begins or lies at ``start`` in the document; the first one where none does."""
    sentences = [span.shift(chunk.span.start) for span in split_sentences(chunk.text)] or [chunk.span]
    around = (span for span in sentences if span.start <= start < span.end)
    return next((span for span in sentences if span.start == start), next(around, sentences[0]))


MOST_FOUND = 1000
"""Entities found for a few letters before the first of them are shown."""
SUGGESTIONS = 3
"""Names suggested for one that nothing is called by."""
LONGER = 15
"""Letters that a suggestion may have beyond twice those of the name: a first name and a last."""
MOST_COMPARED = 2000
"""Entities whose single words are compared with a misspelt one, those named most."""
_NAMED = ROLES.index(Role.NAMED)


class GraphView:
    """One tenant's graph, of the chunks in ``visible`` alone; None is all of them."""

    def __init__(self, linker: Linker, visible: Mask | None, reader: EvidenceReader) -> None:
        self.snapshot = linker.snapshot
        self._linker = linker
        self._visible = None if visible is None or bool(visible.all()) else visible
        self._reader = reader

    @cached_property
    def shown(self) -> Indices:
        """The visible mentions."""
        snapshot = self.snapshot
        if self._visible is None:
            return np.arange(len(snapshot.mention_entity), dtype=np.int32)
        return np.flatnonzero(self._visible[snapshot.mention_chunk]).astype(np.int32)

    @property
    def documents(self) -> int:
        """How many documents are visible."""
        chunks = self.snapshot.chunk_document
        return len(np.unique(chunks if self._visible is None else chunks[self._visible]))

    def shows(self, chunk_id: str) -> bool:
        """Whether a chunk is visible."""
        place = self.snapshot.chunk_place.get(chunk_id)
        return place is not None and (self._visible is None or bool(self._visible[place]))

    def shows_merge(self, merge: Merge) -> bool:
        """Whether a visible document has both names, and the merge is not of a document that is not visible."""
        snapshot, documents = self.snapshot, self._visible_documents
        if merge.document_id and documents is not None and merge.document_id not in documents:
            return False
        return all(self.chunk_counts[snapshot.names[key]] for key in (merge.left, merge.right))

    def title_of(self, document_id: str) -> str:
        """The title of a document; "" when it is gone."""
        document = self._reader.document(document_id)
        return document.title if document else ""

    @cached_property
    def chunk_counts(self) -> Indices:
        """Over how many visible chunks each entity is named, titles included."""
        snapshot = self.snapshot
        if self._visible is None:
            return snapshot.chunk_counts
        shown = self.shown
        pairs = np.unique(snapshot.mention_entity[shown].astype(np.int64) << 32 | snapshot.mention_chunk[shown])
        return np.bincount(pairs >> 32, minlength=snapshot.size).astype(np.int32)

    def entity(self, index: int) -> EntityView:
        """The entity of that number, as far as it is visible."""
        rows = self._mention_rows(index)
        snapshot = self.snapshot
        seen = snapshot.at(index)
        names = seen.names
        if self._visible is not None:
            written = {snapshot.written[int(name)] for name in np.unique(snapshot.mention_name[rows])}
            names = tuple(name for name in names if name in written)
        label = seen.label if seen.label in names or not names else names[0]
        return EntityView(
            id=seen.key,
            name=label,
            kind=seen.kind,
            aliases=tuple(name for name in names if name != label),
            mentions=int(np.count_nonzero(~snapshot.is_title[rows])),
            documents=len(np.unique(snapshot.chunk_document[snapshot.mention_chunk[rows]])),
        )

    def top(self, limit: int) -> list[EntityView]:
        """Those named in most chunks; ties by id."""
        return [self.entity(index) for index in self._by_frequency()[:limit].tolist()]

    def place(self, name: str) -> int:
        """The number of the entity with this id or name. UnknownEntity names what is called nearly so."""
        index = self.snapshot.names.get(name)
        index = self.snapshot.place(key_of(name) or name) if index is None else index
        if index is not None and self.chunk_counts[index]:
            return index
        written = self._find_written(name)
        if len(written) == 1:
            return written[0]
        near = self._linker.find(name, 4 * SUGGESTIONS)
        slips = {match.entity for _, match in near if match.how is How.FUZZY and is_typed_for(key_of(name), match.text)}
        if len(slips) == 1 and self.chunk_counts[(only := next(iter(slips)))]:
            return only
        shown = [self.entity(match.entity).name for _, match in near if self.chunk_counts[match.entity]]
        # a headline that begins so comes after what is nearly as short as the name itself
        shown.sort(key=lambda other: len(other) > 2 * len(name) + LONGER)
        raise UnknownEntity(name, tuple(dict.fromkeys(shown or self._with_a_word_like(name)))[:SUGGESTIONS])

    def _find_written(self, name: str) -> list[int]:
        """The visible entities that some document calls ``name``, as by a first name: "Maya" of Maya Okonkwo."""
        snapshot, key = self.snapshot, key_of(name)
        ways = [place for place, way in enumerate(snapshot.written) if key_of(way) == key]
        rows = self.shown[np.isin(snapshot.mention_name[self.shown], ways)] if ways and key else self.shown[:0]
        return np.unique(snapshot.mention_entity[rows]).tolist()

    def _with_a_word_like(self, name: str) -> list[str]:
        """What is named most and has a word spelt nearly like ``name``."""
        by_word: dict[str, int] = {}
        for index in self._by_frequency()[:MOST_COMPARED].tolist():
            for word in str(self.snapshot.keys[index]).split():
                by_word.setdefault(word, index)
        close = get_close_matches(key_of(name), by_word, n=SUGGESTIONS, cutoff=NEAR)
        return [self.entity(by_word[word]).name for word in close]

    def find(self, query: str, limit: int) -> FoundEntities:
        """Entities whose name is like ``query``, the surest first; without one those named most often."""
        if not query.strip():
            order = self._by_frequency()
            shown = [FoundEntity(self.entity(index), How.EXACT.value, 1.0) for index in order[:limit].tolist()]
            return FoundEntities(query, tuple(shown), len(order))
        found = [pair for pair in self._linker.find(query, MOST_FOUND) if self.chunk_counts[pair[1].entity]]
        entities = [FoundEntity(self.entity(match.entity), match.how.value, match.score) for _, match in found[:limit]]
        return FoundEntities(query, tuple(entities), len(found))

    def neighbourhood(self, index: int, limit: int, evidence: int, passages: int) -> Neighbourhood:
        """What an entity is named with and where it is named; so many links, sentences for each, and passages."""
        links = find_neighbours(self.snapshot, index, None, self._visible)
        rows = self._mention_rows(index)
        in_text = rows[~self.snapshot.is_title[rows]]
        # a passage under a title says nothing of it by that, unless nothing else does
        chunks, counts = np.unique(self.snapshot.mention_chunk[in_text if in_text.size else rows], return_counts=True)
        densest = chunks[np.lexsort((chunks, -counts))]
        return Neighbourhood(
            entity=self.entity(index),
            merges=self._list_merges(index),
            neighbours=tuple(self._build_link(index, link, evidence) for link in links[:limit]),
            total_neighbours=len(links),
            between=self._find_links([link.entity for link in links[:limit]]),
            passages=self._cite_mentions(index, densest[:passages]),
            total_passages=len(densest),
            documents=self._list_documents(rows, passages),
            topics=self._reader.count_topics(
                self.snapshot.chunk_ids[int(chunk)] for chunk in densest[:READ_FOR_TOPICS]
            ),
        )

    def path(self, start: int, end: int, limit: int, evidence: int) -> PathView:
        """Ways from one entity to another."""
        ways = [
            Way(
                tuple(self.entity(entity) for entity in way.entities),
                tuple(
                    self._build_link(before, link, evidence)
                    for before, link in zip(way.entities, way.links, strict=False)
                ),
            )
            for way in find_paths(self.snapshot, start, end, limit, visible=self._visible)
        ]
        return PathView(self.entity(start), self.entity(end), tuple(ways))

    def _mention_rows(self, index: int) -> Indices:
        rows = self.snapshot.by_entity[index]
        return rows if self._visible is None else rows[self._visible[self.snapshot.mention_chunk[rows]]]

    def _by_frequency(self) -> Indices:
        """Those named in most passages first; what only titles name comes last."""
        named = np.flatnonzero(self.chunk_counts).astype(np.int32)
        counts = self.snapshot.named_counts if self._visible is None else self.snapshot.count_named(self.shown)
        return named[np.lexsort((named, -counts[named]))]

    def _build_link(self, index: int, link: Link, evidence: int) -> LinkView:
        places = [self._choose_place(place, (index, link.entity)) for place in link.evidence[:evidence]]
        return LinkView(
            self.entity(link.entity), link.weight, link.places, self._reader.evidence(places), link.predicates
        )

    def _choose_place(self, place: Place, ends: tuple[int, int]) -> Place:
        """``place``, or, where one end is there as title or speaker only, the sentence in that chunk that names the
        other.
        """
        snapshot = self.snapshot
        rows = snapshot.by_chunk[snapshot.chunk_place[place.chunk_id]]
        named = snapshot.mention_role[rows] == _NAMED
        of = [snapshot.mention_entity[rows] == end for end in ends]
        left, right = (set(snapshot.mention_sentence[rows[own & named]].tolist()) for own in of)
        is_whole = [bool((own & ~named).any()) for own in of]
        starts = left & right or (left if is_whole[1] else set()) or (right if is_whole[0] else set())
        if place.relation is not None or not starts or place.sentence in starts:
            return place
        return Place(place.chunk_id, min(starts))

    def _cite_mentions(self, index: int, chunks: Indices) -> tuple[Evidence, ...]:
        """The first sentence of each chunk that names the entity."""
        snapshot = self.snapshot
        places: list[Place] = []
        for chunk in chunks.tolist():
            rows = snapshot.by_chunk[chunk]
            rows = rows[snapshot.mention_entity[rows] == index]
            named = rows[snapshot.mention_role[rows] == _NAMED]
            start = int(snapshot.mention_sentence[named if len(named) else rows].min())
            places.append(Place(str(snapshot.chunk_ids[chunk]), start))
        return self._reader.evidence(places)

    def _list_documents(self, rows: Indices, limit: int) -> tuple[NamedIn, ...]:
        snapshot = self.snapshot
        documents, of_row = np.unique(snapshot.chunk_document[snapshot.mention_chunk[rows]], return_inverse=True)
        counts = np.bincount(of_row[~snapshot.is_title[rows]], minlength=len(documents))
        found: list[NamedIn] = []
        # With all that name it as often as the last one shown: ids hang on where the files are, and the order must not.
        least = np.sort(counts)[::-1][: max(limit, 1)][-1] if len(counts) else 0
        for place in np.flatnonzero(counts >= least).tolist():
            document = self._reader.document(snapshot.documents[int(documents[place])])
            if document is not None:
                found.append(NamedIn(document.id, document.title, document.source, int(counts[place])))
        found.sort(key=lambda one: (-one.mentions, one.title, one.document_id))
        return tuple(found[:limit])

    def _list_merges(self, index: int) -> tuple[MergeView, ...]:
        """The other names of an entity; of two that are joined the one that does not stand for it."""
        snapshot = self.snapshot
        key = snapshot.keys[index]
        found: dict[tuple[str, str], None] = {}
        for merge in snapshot.merges_of(index):
            if not self.shows_merge(merge):
                continue
            other = merge.left if merge.right == key else merge.right if merge.left == key else merge.left
            where = " (in one document)" if merge.document_id else ""
            found[written_name(snapshot, other), f"{merge.reason}{where}"] = None
        return tuple(MergeView(name, reason) for name, reason in found)

    @cached_property
    def _visible_documents(self) -> set[str] | None:
        if self._visible is None:
            return None
        shown = np.unique(self.snapshot.chunk_document[self._visible])
        return {self.snapshot.documents[int(document)] for document in shown}

    def _find_links(self, entities: Sequence[int]) -> tuple[Between, ...]:
        """The links among some entities, by the sentences that they share."""
        snapshot = self.snapshot
        groups = [np.unique(snapshot.sentence_group[self._mention_rows(entity)]) for entity in entities]
        links: list[Between] = []
        for left, one in enumerate(groups):
            for right in range(left + 1, len(groups)):
                shared = len(np.intersect1d(one, groups[right], assume_unique=True))
                if shared:
                    weight = shared / float(np.sqrt(len(one) * len(groups[right])))
                    keys = snapshot.keys[entities[left]], snapshot.keys[entities[right]]
                    links.append(Between(*keys, min(1.0, weight)))
        return tuple(links)


def written_name(snapshot: Snapshot, key: str) -> str:
    """A name as it is most often written; the key itself where nothing has it any more."""
    index = snapshot.names.get(key)
    if index is None:
        return key
    names = snapshot.at(index).names
    return next((name for name in names if key_of(name) == key), key)


BY_HAND = "decided by hand"


def keep_decision(
    view: Callable[[], GraphView],
    store: GraphStore,
    tenant: str,
    names: tuple[str, str],
    *,
    same: bool,
    reason: str,
    now: datetime,
) -> Decided:
    """Keep the decision; ``view`` gives the graph as it is before and after."""
    seen = view()
    left, right = (_find_key(seen, name) for name in names)
    if left == right:
        raise UsageError(f"{names[0]!r} and {names[1]!r} are the same name to the graph and cannot be separated")
    pin = Pin(left, right, same, reason or BY_HAND, now)
    store.pin(tenant, pin)
    return _build_decision(view().snapshot, pin)


def undo_decision(store: GraphStore, tenant: str, left: str, right: str) -> bool:
    """Take back what was decided about two names, in either order; whether anything was."""
    return store.unpin(tenant, key_of(left) or left, key_of(right) or right)


def list_merges(view: GraphView, store: GraphStore, tenant: str) -> Merges:
    """All decisions, and what rules make of names that some visible document has."""
    snapshot = view.snapshot
    decided = tuple(_build_decision(snapshot, pin) for pin in store.pins(tenant))
    merged = [
        _build_merge(view, merge, is_refused=is_refused)
        for some, is_refused in ((snapshot.merges, False), (snapshot.refused, True))
        for merge in some
        if merge.ground is not Ground.PIN and view.shows_merge(merge)
    ]
    return Merges(decided, tuple(merged))


def _find_key(view: GraphView, name: str) -> str:
    """The key of a name that some document has; UnknownEntity otherwise."""
    view.place(name)
    key = key_of(name)
    return name if name in view.snapshot.names or key not in view.snapshot.names else key


def _build_decision(snapshot: Snapshot, pin: Pin) -> Decided:
    are_same = snapshot.names.get(pin.left, pin.left) == snapshot.names.get(pin.right, pin.right)
    names = written_name(snapshot, pin.left), written_name(snapshot, pin.right)
    return Decided(*names, pin.same, pin.reason, pin.made_at, are_same == pin.same)


def _build_merge(view: GraphView, merge: Merge, *, is_refused: bool) -> Merged:
    snapshot = view.snapshot
    title = view.title_of(merge.document_id) if merge.document_id else ""
    return Merged(
        written_name(snapshot, merge.left), written_name(snapshot, merge.right), merge.reason, title, is_refused
    )


SHOWN_ENTITIES = 8


class Themes:
    """Reads the themes of what one tenant's documents say; those fetched for conversations have no part in them."""

    def __init__(
        self, theme_finder: ThemeFinder, view: Callable[[Snapshot], GraphView], reader: EvidenceReader, tenant: str
    ) -> None:
        self._theme_finder = theme_finder
        self._view = view
        self._reader = reader
        self._tenant = tenant

    def communities(self, level: int, limit: int, offset: int, evidence: int) -> CommunitiesView:
        """Those of ``level`` (the finest where there is none so fine), the largest first."""
        landscape = self._theme_finder.find_landscape(Filter(tenant=self._tenant, within=(OWN,)), ENGLISH)
        if landscape is None:
            return CommunitiesView(0, 0, 0, ())
        levels = landscape.communities.levels
        chosen = min(level, levels - 1)
        found = landscape.communities.at(chosen)
        shown = [community for community in found if len(community.chunks) >= SMALLEST] or found
        view = self._view(landscape.snapshot)
        places = {id(community): str(place) for place, community in enumerate(landscape.communities.all)}
        described = tuple(
            self._build_community_view(landscape, community, view, places[id(community)], evidence=evidence)
            for community in shown[offset : offset + limit]
        )
        return CommunitiesView(chosen, levels, len(shown), described)

    def _build_community_view(
        self, landscape: Landscape, community: Community, view: GraphView, place: str, *, evidence: int
    ) -> CommunityView:
        theme = self._theme_finder.theme(landscape, community)
        sentences = self._cite_sentences(theme.description.sentences[:evidence])
        return CommunityView(
            id=place,
            level=community.level,
            parent=None if community.parent is None else str(community.parent),
            label=theme.description.label,
            size=len(community.entities),
            documents=theme.documents,
            entities=tuple(view.entity(index) for index in community.entities[:SHOWN_ENTITIES].tolist()),
            summary=" ".join(one.quote for one in sentences),
            evidence=sentences,
        )

    def _cite_sentences(self, sentences: Sequence[Representative]) -> tuple[Evidence, ...]:
        found: list[Evidence] = []
        for one in sentences:
            document = self._reader.document(one.chunk.document_id)
            if document is None:
                continue
            try:
                found.append(Evidence.of(one.chunk.id, cite_span(1, document, one.span)))
            except CitationError:
                continue  # the document was replaced between two reads
        return tuple(found)
