"""Accounts of how two things hang together: the sentences that name both, else the steps between them with the sentence behind each (KG-2)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ascertain.core.accounts import Account, Group
from ascertain.core.filters import Filter
from ascertain.core.plans import Inquiry
from ascertain.core.spans import Span
from ascertain.graph.snapshot import Snapshot
from ascertain.graph.snapshot_links import Link, path
from ascertain.retrieval.entity_beside import Beside, named_beside
from ascertain.retrieval.entity_groups import label_of
from ascertain.retrieval.entity_links import PROVEN, account_of, best_of
from ascertain.retrieval.entity_mentions import (
    find_mentions,
    names_one,
    narrowed,
    sentence_of_both,
)
from ascertain.retrieval.entity_names import known_name, visible
from ascertain.retrieval.entity_sentences import Statement
from ascertain.stores.ports import CompleteStore

OF_PAIR = 3
"""Sentences quoted that name both ends."""
MOST_BETWEEN = 2
"""Things told that both ends are named with."""
BY_STEPS = {1: 90, 2: 70}
"""Sureness by the number of steps; each further one is a coincidence more likely."""
BY_MORE_STEPS = 50

Ends = tuple[str, str]


def connection(
    store: CompleteStore, snapshot: Snapshot | None, inquiry: Inquiry, filter: Filter
) -> Account | None:
    """Both in one sentence; what each is named with in a sentence; or the shortest way through the graph. None where there is no way."""
    ends = (inquiry.subject, inquiry.other)
    sides = tuple(_naming(store, snapshot, end, filter) for end in ends)
    others = {(each.document.id, each.span) for each in sides[1]}
    both = [each for each in sides[0] if (each.document.id, each.span) in others]
    if both:
        passages = tuple(narrowed(each, " · ".join(ends)) for each in best_of(both, OF_PAIR))
        group = Group(_step(*ends), passages, len(both) - len(passages))
        return account_of(inquiry, (group,), both, filter, sureness=PROVEN, how="sentences that name both")
    return _by_what_is_between(snapshot, inquiry, (sides[0], sides[1]), filter) or (
        _by_steps(store, snapshot, inquiry, filter) if snapshot else None
    )


def _naming(store: CompleteStore, snapshot: Snapshot | None, end: str, filter: Filter) -> list[Statement]:
    found = find_mentions(store, end, known_name(snapshot, end, filter) if snapshot else None, filter)
    return list(found.statements) if found.is_exact else []


def _by_what_is_between(
    snapshot: Snapshot | None,
    inquiry: Inquiry,
    sides: tuple[Sequence[Statement], Sequence[Statement]],
    filter: Filter,
) -> Account | None:
    """Two steps: a thing that one sentence names with one end, and another with the other."""
    ends = (inquiry.subject, inquiry.other)
    beside: list[dict[object, Beside]] = [
        {each.key: each for each in named_beside(snapshot, end, told)}
        for end, told in zip(ends, sides, strict=True)
    ]
    shared = [(beside[0][key], beside[1][key]) for key in beside[0] if key in beside[1]]
    shared.sort(key=lambda pair: (-pair[0].weight * pair[1].weight, pair[0].label))
    groups: list[Group] = []
    behind: list[Statement] = []
    for left, right in shared[:MOST_BETWEEN]:
        for names, side in (((ends[0], left.label), left), ((right.label, ends[1]), right)):
            (best,) = best_of(side.statements, 1)
            named = narrowed(best, " · ".join((*ends, left.label)), f"names “{names[0]}” and “{names[1]}”")
            groups.append(Group(_step(*names), (named,), len(side.statements) - 1))
            behind += side.statements
    if not groups:
        return None
    how = f"both are named with {', '.join(left.label for left, _ in shared[:MOST_BETWEEN])}"
    return account_of(inquiry, groups, behind, filter, sureness=BY_STEPS[2], how=how)


def _by_steps(store: CompleteStore, snapshot: Snapshot, inquiry: Inquiry, filter: Filter) -> Account | None:
    start, end = snapshot.place(inquiry.subject), snapshot.place(inquiry.other)
    way = None if start is None or end is None else path(snapshot, start, end, visible(snapshot, filter))
    if way is None:
        return None
    things = [snapshot.at(entity) for entity in way.entities]
    names = [thing.label for thing in things]
    groups: list[Group] = []
    behind: list[Statement] = []
    for place, link in enumerate(way.links):
        pair = (names[place], names[place + 1])
        statements = _behind(store, link, things[place].names, things[place + 1].names, filter)
        if not statements:
            return None  # what cannot be shown is no step
        named = " · ".join((inquiry.subject, inquiry.other, *pair))
        groups.append(
            Group(_step(*pair), (narrowed(statements[0], named, _said(link, pair)),), len(statements) - 1)
        )
        behind += statements
    how = f"{len(way.links)} step{'' if len(way.links) == 1 else 's'}: {' — '.join(names)}"
    sureness = BY_STEPS.get(len(way.links), BY_MORE_STEPS)
    return account_of(inquiry, groups, behind, filter, sureness=sureness, how=how)


def _behind(
    store: CompleteStore, link: Link, one: Sequence[str], other: Sequence[str], filter: Filter
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


def _said(link: Link, names: Ends) -> str:
    predicates = f": {', '.join(link.predicates[:3])}" if link.predicates else ""
    return f"names “{names[0]}” and “{names[1]}”{predicates}"
