"""What a thing is named with, and how two things hang together: each link with the sentences behind it (KG-2).

With the graph by its links; without one by the sentences that name both, and the names in the sentences that name the one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from ascertain.core.accounts import Account, Group
from ascertain.core.filters import Filter
from ascertain.core.passages import Passage
from ascertain.core.plans import Inquiry
from ascertain.core.spans import Span
from ascertain.graph.names import names_in, words_of
from ascertain.graph.snapshot import Snapshot
from ascertain.graph.snapshot_links import Link, neighbours, path
from ascertain.retrieval.entity_groups import label_of, telling
from ascertain.retrieval.entity_mentions import (
    Statement,
    find_mentions,
    names_one,
    narrowed,
    sentence_of_both,
)
from ascertain.retrieval.entity_names import known_name, visible
from ascertain.stores.ports import ChunkStore

MOST_OTHERS = 10
"""Things told that something is named with."""
OF_OTHER = 2
"""Sentences quoted for each."""
MOST_LINKS = 200
"""Links of the graph looked through for things of the kind that is asked for."""
OF_PAIR = 3
"""Sentences quoted that name both ends of a connection."""
PROVEN = 90
"""Sureness where sentences name both."""
BY_STEPS = {1: 90, 2: 70}
"""Sureness of a connection by its steps; each further one is a coincidence more likely."""
BY_MORE_STEPS = 50

_KINDS: Mapping[str, frozenset[str]] = {
    "organisation": frozenset(
        "company firm organisation organization corporation business bank startup university institution agency party team club competitor"
        " supplier customer partner publisher manufacturer group".split()
    ),
    "person": frozenset(
        "person people man woman scientist author researcher speaker guest host founder executive politician player actor singer writer".split()
    ),
    "place": frozenset("place country city region state town location continent river".split()),
    "product": frozenset(
        "product asset coin currency cryptocurrency token technology tool language software model device service project".split()
    ),
    "event": frozenset("event conference election war summit".split()),
}
"""Nouns of questions by the beginning of the entity types that profiles name."""


def together(
    store: ChunkStore, snapshot: Snapshot | None, inquiry: Inquiry, told: Sequence[Statement], filter: Filter
) -> Account | None:
    """What ``inquiry.subject`` is named with, the strongest links first; ``told`` are the sentences that name it.

    Without a graph nothing is known of what kind a name is, so only a question for names of any kind is answered then.
    """
    by_name = _linked(store, snapshot, inquiry, filter) if snapshot else {}
    if not by_name and not inquiry.kind:
        by_name = _beside(inquiry, told)
    groups = _of_sentences(dict(list(by_name.items())[:MOST_OTHERS]), inquiry)
    if not groups:
        return None
    how = f"what is named in one sentence with “{inquiry.subject}”"
    hidden = max(0, len(by_name) - MOST_OTHERS)
    return _account(inquiry, groups, by_name.values(), filter, sureness=PROVEN, how=how, hidden=hidden)


def _of_sentences(by_name: Mapping[str, Sequence[Statement]], inquiry: Inquiry) -> tuple[Group, ...]:
    """A group for each sentence or two that tell one thing or several: what stands in the same sentences is told once."""
    names: dict[tuple[Statement, ...], list[str]] = {}
    for name, statements in by_name.items():
        best = sorted(statements, key=lambda each: (-telling(each), each.document.id, each.span))[:OF_OTHER]
        names.setdefault(tuple(best), []).append(name)
    return tuple(
        Group(
            ", ".join(label_of(None, name) for name in own),
            tuple(narrowed(each, inquiry.subject) for each in best),
            len({(each.document.id, each.span) for name in own for each in by_name[name]}) - len(best),
        )
        for best, own in names.items()
    )


def connection(
    store: ChunkStore, snapshot: Snapshot | None, inquiry: Inquiry, filter: Filter
) -> Account | None:
    """How the two ends hang together: the sentences that name both, else the steps between them."""
    ends = (inquiry.subject, inquiry.other)
    both = _naming_both(store, snapshot, ends, filter)
    if both:
        best = sorted(both, key=lambda each: (-telling(each), each.document.id, each.span))
        passages = tuple(narrowed(each, " · ".join(ends)) for each in best[:OF_PAIR])
        group = Group(_step(*ends), passages, len(both) - len(passages))
        return _account(inquiry, (group,), [both], filter, sureness=PROVEN, how="sentences that name both")
    return _by_steps(store, snapshot, inquiry, filter) if snapshot else None


def _by_steps(store: ChunkStore, snapshot: Snapshot, inquiry: Inquiry, filter: Filter) -> Account | None:
    start, end = snapshot.place(inquiry.subject), snapshot.place(inquiry.other)
    way = None if start is None or end is None else path(snapshot, start, end, visible(snapshot, filter))
    if way is None:
        return None
    things = [snapshot.at(entity) for entity in way.entities]
    names = [thing.label for thing in things]
    groups: list[Group] = []
    behind: list[list[Statement]] = []
    for place, link in enumerate(way.links):
        statements = _behind(store, link, things[place].names, things[place + 1].names, filter)
        if not statements:
            return None  # what cannot be shown is no step
        named = " · ".join((inquiry.subject, inquiry.other, *names[place : place + 2]))
        passages = tuple(
            narrowed(each, named, _link(link, names[place : place + 2])) for each in statements[:1]
        )
        groups.append(Group(_step(*names[place : place + 2]), passages, max(0, link.places - 1)))
        behind.append(statements)
    how = f"{len(way.links)} step{'' if len(way.links) == 1 else 's'}: {' — '.join(names)}"
    sureness = BY_STEPS.get(len(way.links), BY_MORE_STEPS)
    return _account(inquiry, tuple(groups), behind, filter, sureness=sureness, how=how)


def _linked(
    store: ChunkStore, snapshot: Snapshot, inquiry: Inquiry, filter: Filter
) -> dict[str, list[Statement]]:
    """The sentences that name the subject and another thing of the kind asked for, by its name, the strongest link first."""
    subject = snapshot.place(inquiry.subject)
    if subject is None:
        return {}
    own = snapshot.at(subject)
    links = neighbours(snapshot, subject, MOST_LINKS, visible(snapshot, filter))
    found: dict[str, list[Statement]] = {}
    for link in _of_kind(snapshot, links, inquiry.kind):
        other = snapshot.at(link.entity)
        statements = [
            each
            for each in _behind(store, link, own.names, other.names, filter)
            if names_one(each.text, own.names) and names_one(each.text, other.names)
        ]
        if statements:
            found[other.label] = statements
        if len(found) > MOST_OTHERS:
            break
    return found


def _of_kind(snapshot: Snapshot, links: Sequence[Link], noun: str) -> list[Link]:
    """Links to things of a kind, then those to things whose kind nobody knows; none to what is known to be something else."""
    if not noun:
        return list(links)
    kinds = [kind for kind, nouns in _KINDS.items() if noun == kind or noun in nouns] or [noun]
    told = [(link, snapshot.kinds[link.entity].casefold().replace("z", "s")) for link in links]
    fitting = [link for link, kind in told if any(kind.startswith(each) for each in kinds)]
    return [*fitting, *(link for link, kind in told if not kind)]


def _beside(inquiry: Inquiry, told: Sequence[Statement]) -> dict[str, list[Statement]]:
    """Names in the sentences that name the subject, those in most sentences first."""
    written: dict[tuple[str, ...], str] = {}
    found: dict[tuple[str, ...], list[Statement]] = {}
    own = set(words_of(inquiry.subject))
    for each in told:
        for words, name in names_in(each.text).items():
            is_speaker = words == words_of(each.place.speaker or "")
            if name[:1].isalpha() and not own & set(words) and not is_speaker:
                found.setdefault(words, []).append(each)
                written.setdefault(words, name)
    order = sorted(found, key=lambda words: (-len(found[words]), words))
    return {written[words]: found[words] for words in order}


def _naming_both(
    store: ChunkStore, snapshot: Snapshot | None, ends: tuple[str, str], filter: Filter
) -> list[Statement]:
    sides: list[list[Statement]] = []
    for end in ends:
        known = known_name(snapshot, end, filter) if snapshot else None
        found = find_mentions(store, end, known, filter)
        sides.append(list(found.statements) if found.is_exact else [])
    others = {(each.document.id, each.span): each for each in sides[1]}
    both = [each for each in sides[0] if (each.document.id, each.span) in others]
    return [replace(each, is_from_graph=each.is_from_graph and snapshot is not None) for each in both]


def _behind(
    store: ChunkStore, link: Link, one: Sequence[str], other: Sequence[str], filter: Filter
) -> list[Statement]:
    """The stored sentences of a link that may be seen, those that name both first, else in the order of its evidence."""
    ids = tuple(dict.fromkeys(place.chunk_id for place in link.evidence))
    if filter.chunk_ids:
        ids = tuple(chunk_id for chunk_id in ids if chunk_id in filter.chunk_ids)
    chunks = (
        {chunk.id: chunk for chunk in store.iterate_chunks(replace(filter, chunk_ids=ids))} if ids else {}
    )
    found: dict[tuple[str, Span], Statement] = {}
    for place in link.evidence:
        chunk = chunks.get(place.chunk_id)
        each = sentence_of_both(store, chunk, place.sentence, one, other) if chunk else None
        if each is not None:
            found.setdefault((each.document.id, each.span), each)
    return sorted(
        found.values(), key=lambda each: not (names_one(each.text, one) and names_one(each.text, other))
    )


def _step(one: str, other: str) -> str:
    return f"{label_of(None, one)} — {label_of(None, other)}"


def _link(link: Link, names: Sequence[str]) -> str:
    said = f": {', '.join(link.predicates[:3])}" if link.predicates else ""
    return f"names “{names[0]}” and “{names[1]}”{said}"


def _account(
    inquiry: Inquiry,
    groups: tuple[Group, ...],
    statements: Iterable[Sequence[Statement]],
    filter: Filter,
    *,
    sureness: int,
    how: str,
    hidden: int = 0,
) -> Account:
    each = [statement for own in statements for statement in own]
    sources = {statement.chunk.id: Passage(statement.chunk, 1.0, origin="graph") for statement in each}
    return Account(
        inquiry,
        groups,
        places=len({(statement.document.id, statement.span) for statement in each}),
        documents=len({statement.document.id for statement in each}),
        speakers=len({statement.place.speaker for statement in each} - {None}),
        hidden_groups=hidden,
        is_complete=True,
        sureness=sureness,
        sources=tuple(sources.values()),
        filter=filter,
        how=how,
    )
