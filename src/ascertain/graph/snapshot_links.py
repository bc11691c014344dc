"""The links of an entity, and how two of them are connected.

Two entities are linked in each sentence that names both, and in each chunk whose title or speaker is one of them and
whose text names the other. How strong a link is: the cosine of the two sets of places, shared / √(places of one ·
places of the other), so that what is named everywhere is linked strongly to nothing (Salton's measure; Ochiai 1957).
"""

import heapq
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np

from ascertain.core.graph.nouns import Relation, Role
from ascertain.graph.snapshot import ROLES, Groups, Mask, Snapshot
from ascertain.language.equivalents import is_telling
from ascertain.language.tokens import content_terms, fold_words, stem_word
from ascertain.language.word_lists import load_phrases
from ascertain.stores.ports.graph import Indices

EVIDENCE = 5
"""Places named for one link: relations, then sentences that name both, then those below a title or speaker."""
WIDEST = 200
"""Links gone on from at one entity, the strongest; a path through a thing named everywhere explains nothing."""
MOST_VISITED = 2000
"""Entities looked at for one path; more take longer than a page may."""
_WHOLE_CHUNK = (ROLES.index(Role.TITLE), ROLES.index(Role.SPEAKER))


@dataclass(frozen=True, slots=True)
class Place:
    """Where a link is seen: the chunk, where its sentence starts in the document, and its relation, if one was read."""

    chunk_id: str
    sentence: int
    relation: Relation | None = None


@dataclass(frozen=True, slots=True)
class Link:
    """One entity that another is named with, by number; ``weight`` is over 0 and at most 1."""

    entity: int
    weight: float
    places: int
    evidence: tuple[Place, ...]
    predicates: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Path:
    """Entities from one end to the other; ``links[i]`` leads to ``entities[i + 1]``."""

    entities: tuple[int, ...]
    links: tuple[Link, ...]


def find_neighbours(
    snapshot: Snapshot, entity: int, limit: int | None = None, visible: Mask | None = None
) -> list[Link]:
    """The links of ``entity`` in visible chunks, the strongest link first; ties by number."""
    rows = _mentions_beside(snapshot, entity, visible)
    if not rows.size:
        return []
    others = snapshot.mention_entity[rows]
    pairs = np.unique(others.astype(np.int64) << 32 | snapshot.sentence_group[rows])
    found, shared = np.unique(pairs >> 32, return_counts=True)
    sizes = snapshot.place_counts
    weights = np.minimum(1.0, shared / np.sqrt(np.maximum(1, sizes[entity]) * np.maximum(1, sizes[found])))
    order = np.lexsort((found, -weights))[:limit]
    spoken = _relations_of(snapshot, entity, visible)
    by_entity = Groups.of(others, snapshot.size)
    own = np.unique(snapshot.sentence_group[snapshot.by_entity[entity]])
    links: list[Link] = []
    for place in order.tolist():
        other = int(found[place])
        there = rows[by_entity[other]]
        is_apart = ~np.isin(snapshot.sentence_group[there], own)
        in_order = there[np.argsort(is_apart, kind="stable")]
        places = _find_evidence(snapshot, in_order, spoken.get(other, []))
        predicates = tuple(sorted({relation.predicate for relation in spoken.get(other, [])}))
        links.append(Link(other, float(weights[place]), int(shared[place]), places, predicates))
    return links


def find_path(snapshot: Snapshot, start: int, end: int, visible: Mask | None = None) -> Path | None:
    """How two entities are connected by the fewest and strongest links; None if they are not, or only distantly."""
    return next(iter(find_paths(snapshot, start, end, 1, visible=visible)), None)


def find_paths(snapshot: Snapshot, start: int, end: int, limit: int = 3, *, visible: Mask | None = None) -> list[Path]:
    """Up to ``limit`` ways between two entities that share no step, the shortest first; none from a thing to itself."""
    if start == end:
        return []
    known: dict[int, list[Link]] = {}

    def around(entity: int) -> list[Link]:
        if entity not in known:
            known[entity] = find_neighbours(snapshot, entity, WIDEST, visible)
        return known[entity]

    paths: list[Path] = []
    closed: set[int] = set()
    is_direct = False
    while len(paths) < limit:
        way = _shortest_path(around, start, end, closed, is_direct=is_direct)
        if way is None:
            break
        paths.append(way)
        closed |= set(way.entities[1:-1])
        is_direct = is_direct or len(way.entities) == 2
    return paths


def _shortest_path(
    around: Callable[[int], list[Link]], start: int, end: int, closed: set[int], *, is_direct: bool
) -> Path | None:
    """Dijkstra from both sides would be quicker; one side is quick enough with so few links kept of each."""
    queue: list[tuple[float, int, int, Link | None]] = [(0.0, start, start, None)]
    came: dict[int, tuple[int, Link | None]] = {}
    while queue and len(came) < MOST_VISITED:
        length, entity, before, link = heapq.heappop(queue)[:4]
        if entity in came:
            continue
        came[entity] = (before, link)
        if entity == end:
            return _trace_way(came, end)
        for onward in around(entity):
            if onward.entity in closed or onward.entity in came:
                continue
            if is_direct and entity == start and onward.entity == end:
                continue
            # A link counts between one and two, so that fewer links come first and stronger ones among as many.
            heapq.heappush(queue, (length + 2.0 - onward.weight, onward.entity, entity, onward))
    return None


def _trace_way(came: dict[int, tuple[int, Link | None]], end: int) -> Path:
    entities, links = [end], list[Link]()
    while True:
        before, link = came[entities[-1]]
        if link is None:
            return Path(tuple(reversed(entities)), tuple(reversed(links)))
        entities.append(before)
        links.append(link)


def _mentions_beside(snapshot: Snapshot, entity: int, visible: Mask | None) -> Indices:
    """Mentions of others that stand where ``entity`` does, each once."""
    own = snapshot.by_entity[entity]
    if visible is not None:
        own = own[visible[snapshot.mention_chunk[own]]]
    is_whole = np.isin(snapshot.mention_role[own], _WHOLE_CHUNK)
    chunks = np.unique(snapshot.mention_chunk[own])
    in_sentences = snapshot.by_sentence.join_groups(np.unique(snapshot.sentence_group[own]))[0]
    in_its_chunks = snapshot.by_chunk.join_groups(np.unique(snapshot.mention_chunk[own[is_whole]]))[0]
    beside = snapshot.by_chunk.join_groups(chunks)[0]
    titles = beside[np.isin(snapshot.mention_role[beside], _WHOLE_CHUNK)]
    rows = np.unique(np.concatenate([in_sentences, in_its_chunks, titles]))
    return rows[snapshot.mention_entity[rows] != entity]


def _relations_of(snapshot: Snapshot, entity: int, visible: Mask | None) -> dict[int, list[Relation]]:
    """What is said of ``entity`` and each other, by the other."""
    ends = snapshot.relation_ends
    found: dict[int, list[Relation]] = {}
    for row in np.unique(snapshot.by_relation_end[entity] // 2):
        relation = snapshot.relations[int(row)]
        chunk = snapshot.chunk_place.get(relation.chunk_id)
        if visible is not None and (chunk is None or not visible[chunk]):
            continue
        other = int(ends[row, 1] if ends[row, 0] == entity else ends[row, 0])
        found.setdefault(other, []).append(relation)
    return found


def _find_evidence(snapshot: Snapshot, rows: Indices, relations: list[Relation]) -> tuple[Place, ...]:
    said = {(relation.chunk_id, relation.sentence.start): relation for relation in relations}
    places = [Place(chunk_id, start, relation) for (chunk_id, start), relation in sorted(said.items())]
    seen = set(said)
    for row in rows.tolist():
        if len(places) >= EVIDENCE:
            break
        at = snapshot.chunk_ids[int(snapshot.mention_chunk[row])], int(snapshot.mention_sentence[row])
        if at not in seen:
            seen.add(at)
            places.append(Place(*at))
    return tuple(places[:EVIDENCE])


# What is asked for directly ("Who founded Apple?") some sentence may state: then its relation answers.

MOST_ASKED = 3
"""Content words of a question beside what it names; with more it asks for something further on."""
SHORTEST_ROOT = 4
"""Letters from which one stem that begins another is of the same root: "found" and "founder"."""
_POSSESSIVE = re.compile(r"['’]s?$")
_DO = frozenset({"did", "does", "do", "has", "have", "had"})
_BE = frozenset({"is", "are", "was", "were", "been", "be"})


def find_stated(
    snapshot: Snapshot, question: str, language: str, named: Mapping[int, str], *, visible: Mask | None = None
) -> list[Relation]:
    """The relations that ``question`` asks for, in the order of the documents.

    ``named`` are the things that it names, each with its words there. A relation is asked for when the question says
    all of its predicate and names the end that it starts from.
    """
    found: dict[Relation, None] = {}
    for entity, written in named.items():
        text = _POSSESSIVE.sub("", written)
        start = question.find(text)
        before, after = question[: max(start, 0)], question[start + len(text) :]
        asked = [term for term in content_terms(f"{before} {after}", language) if is_telling(term, language)]
        if start < 0 or not 0 < len(asked) <= MOST_ASKED:
            continue
        for row in snapshot.by_relation_end[entity].tolist():
            relation = snapshot.relations[int(row) // 2]
            chunk = snapshot.chunk_place.get(relation.chunk_id)
            is_visible = chunk is not None and (visible is None or bool(visible[chunk]))
            if is_visible and _asks_for(
                relation.predicate, language, is_object=bool(row % 2), before=before, after=after
            ):
                found[relation] = None
    return sorted(
        found,
        key=lambda one: (
            snapshot.chunk_place[one.chunk_id],
            one.sentence.start,
            one.subject,
            one.predicate,
            one.object,
        ),
    )


def _asks_for(predicate: str, language: str, *, is_object: bool, before: str, after: str) -> bool:
    """Whether the words around a name ask for what the predicate joins it to, where it is its object or its subject."""
    terms = content_terms(predicate, language)
    if not terms:
        return False
    words = set(fold_words(f"{before} {after}").replace("'", " ").split())
    is_role = predicate.startswith("is ") and predicate.endswith((" of", " for"))
    if _holds_roots(before, terms, language):  # "who founded X", "the capital of X"
        return is_object is not predicate.endswith(" by")
    if not _holds_roots(after, terms, language):
        return False
    if is_role:  # "X's capital"
        return is_object is bool(_POSSESSIVE.match(after.split(maxsplit=1)[0]))
    if words & _DO or not words & _BE:  # "what did X found"
        return not is_object
    return is_object is (len(predicate.split()) == 1)  # "was X founded", "was X born"


def _holds_roots(text: str, terms: Sequence[str], language: str) -> bool:
    said = content_terms(text, language)
    return all(any(_is_same_root(term, other, language) for other in said) for term in terms)


def _is_same_root(one: str, other: str, language: str) -> bool:
    short, long = sorted((one, other), key=len)
    if len(short) >= SHORTEST_ROOT and long.startswith(short):
        return True
    bases = _irregular_stems(language)
    return bases.get(one, one) == bases.get(other, other)


@cache
def _irregular_stems(language: str) -> Mapping[str, str]:
    lines = (line.split() for line in load_phrases("word_relations", "irregular_forms"))
    return {stem_word(form, language): stem_word(base, language) for base, *forms in lines for form in forms}
