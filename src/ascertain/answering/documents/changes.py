"""What differs between two documents, or two versions of one, by their sentences, items and rows.

Aligned as ``diff`` does (Ratcliff and Obershelp's longest matching blocks, ``difflib``), over sentences without their punctuation and
case; neighbouring sentences that replaced each other are one change.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from ascertain.answering.documents.outline import Unit
from ascertain.language.tokens import WORD, content_terms, fold_words

MOST_UNITS = 5_000
"""Most sentences of a document that are compared: those of a book, in a second."""
ALIKE = 0.3
"""Share of words that two sentences have in common where one replaced the other."""


@dataclass(frozen=True, slots=True)
class Change:
    """Sentences ``before``, of the first document, replaced by those ``after`` in the second; one of the two may be empty."""

    before: tuple[Unit, ...]
    after: tuple[Unit, ...]


def list_changes(one: Sequence[Unit], other: Sequence[Unit]) -> list[Change]:
    """What differs, in the order of the text."""
    before, after = one[:MOST_UNITS], other[:MOST_UNITS]
    matcher = SequenceMatcher(None, [_fold(unit) for unit in before], [_fold(unit) for unit in after], autojunk=False)
    changes: list[Change] = []
    for tag, start, end, other_start, other_end in matcher.get_opcodes():
        if tag != "equal":
            changes += _pair_units(before[start:end], after[other_start:other_end])
    return changes


def speaks_of(change: Change, focus: str, language: str) -> bool:
    """Whether the sentences of ``change`` contain a content word of ``focus``; true where it has none."""
    wanted = set(content_terms(focus, language))
    return any(wanted & unit.terms(language) for unit in (*change.before, *change.after)) if wanted else True


def _fold(unit: Unit) -> str:
    return " ".join(WORD.findall(fold_words(unit.text)))


def _pair_units(before: Sequence[Unit], after: Sequence[Unit]) -> list[Change]:
    """Each sentence with the one that replaced it, where they have words in common; the others by themselves."""
    left = list(after)
    pairs: list[Change] = []
    for unit in before:
        best = max(left, key=lambda other: _likeness(unit, other), default=None)
        if best is not None and _likeness(unit, best) >= ALIKE:
            left.remove(best)
            pairs.append(Change((unit,), (best,)))
        else:
            pairs.append(Change((unit,), ()))
    return [*pairs, *(Change((), (unit,)) for unit in left)]


def _likeness(one: Unit, other: Unit) -> float:
    words, others = set(_fold(one).split()), set(_fold(other).split())
    return len(words & others) / max(1, len(words | others))
