"""Accounts of what a thing is named with: each other thing with the sentences that name both (KG-2)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from ascertain.core.accounts import Account, Group
from ascertain.core.filters import Filter
from ascertain.core.passages import Passage
from ascertain.core.plans import Inquiry
from ascertain.graph.snapshot import Snapshot
from ascertain.language.word_lists import list_names, load_word_set
from ascertain.retrieval.entity_beside import Beside, named_beside
from ascertain.retrieval.entity_groups import label_of, telling
from ascertain.retrieval.entity_mentions import narrowed
from ascertain.retrieval.entity_sentences import Statement

MOST_OTHERS = 10
"""Things told that something is named with."""
OF_OTHER = 2
"""Sentences quoted for each."""
ENOUGH = 3
"""Things known to be of the kind asked for, from which those of unknown kind are left out."""
PROVEN = 90
"""Sureness where sentences name both."""
UNPROVEN_KIND = 60
"""Sureness where things are told whose kind nobody knows, and a kind was asked for."""

_KINDS: Mapping[str, frozenset[str]] = {
    kind: load_word_set("entity_kinds", kind) for kind in list_names("entity_kinds")
}
"""Nouns of questions by the beginning of the entity types that profiles name."""


def together(
    snapshot: Snapshot | None, inquiry: Inquiry, told: Sequence[Statement], filter: Filter
) -> Account | None:
    """What ``inquiry.subject`` is named with, the strongest links first; ``told`` are the sentences that name it.

    Without a graph nothing is known of what kind a name is, so only a question for names of any kind is answered then.
    """
    if snapshot is None and inquiry.kind:
        return None
    found = _of_kind(named_beside(snapshot, inquiry.subject, told), inquiry.kind)
    groups = _of_sentences(found[:MOST_OTHERS], inquiry)
    if not groups:
        return None
    how = f"what is named in one sentence with “{inquiry.subject}”"
    statements = [statement for each in found for statement in each.statements]
    hidden = max(0, len(found) - MOST_OTHERS)
    is_known = not inquiry.kind or all(each.kind for each in found[:MOST_OTHERS])
    sureness = PROVEN if is_known else UNPROVEN_KIND
    return account_of(inquiry, groups, statements, filter, sureness=sureness, how=how, hidden=hidden)


def best_of(statements: Iterable[Statement], limit: int) -> list[Statement]:
    """The most telling of them."""
    return sorted(statements, key=lambda each: (-telling(each), each.document.id, each.span))[:limit]


def account_of(
    inquiry: Inquiry,
    groups: Sequence[Group],
    statements: Sequence[Statement],
    filter: Filter,
    *,
    sureness: int,
    how: str,
    hidden: int = 0,
) -> Account:
    """The account that rests on ``statements``, each a place of its own."""
    sources = {each.chunk.id: Passage(each.chunk, 1.0, origin="graph") for each in statements}
    return Account(
        inquiry,
        tuple(groups),
        places=len({(each.document.id, each.span) for each in statements}),
        documents=len({each.document.id for each in statements}),
        speakers=len({each.place.speaker for each in statements} - {None}),
        hidden_groups=hidden,
        is_complete=True,
        sureness=sureness,
        sources=tuple(sources.values()),
        filter=filter,
        how=how,
    )


def _of_kind(found: Sequence[Beside], noun: str) -> list[Beside]:
    """Things of a kind; where there are few, also those whose kind nobody knows; nothing that is known to be something else."""
    if not noun:
        return list(found)
    kinds = tuple(kind for kind, nouns in _KINDS.items() if noun == kind or noun in nouns) or (noun,)
    told = [(each, each.kind.casefold().replace("z", "s")) for each in found]
    fitting = [each for each, kind in told if kind.startswith(kinds)]
    if len(fitting) >= ENOUGH:
        return fitting
    return [*fitting, *(each for each, kind in told if not kind)]


def _of_sentences(found: Sequence[Beside], inquiry: Inquiry) -> tuple[Group, ...]:
    """A group for each sentence or two that tell one thing or several: what stands in the same sentences is told once."""
    names: dict[tuple[Statement, ...], list[Beside]] = {}
    for each in found:
        names.setdefault(tuple(best_of(each.statements, OF_OTHER)), []).append(each)
    return tuple(
        Group(
            ", ".join(label_of(None, each.label) for each in own),
            tuple(narrowed(statement, inquiry.subject) for statement in best),
            len({(s.document.id, s.span) for each in own for s in each.statements}) - len(best),
        )
        for best, own in names.items()
    )
