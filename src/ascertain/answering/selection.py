"""Choosing the sentences of an answer.

Greedy: the best sentence first, then the next best that says something else, while it is good enough against the
best. A sentence that begins in mid-thought brings the one before it along while there is room.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from ascertain.answering.candidates import Candidate
from ascertain.language.sentences import leans
from ascertain.language.tokens import folded

Matrix = NDArray[np.float64]

KEEP_WITHIN = 5.0
"""A further sentence is taken while its log-odds are at most this much below the best one's."""
SAME_WORDS = 0.8
"""Jaccard similarity of content terms from which two sentences say the same."""


@dataclass(frozen=True, slots=True)
class Chosen:
    """A sentence of the answer: its candidate and those that repeat its words exactly in other documents."""

    candidate: int
    echoes: tuple[int, ...] = ()


def choose(
    candidates: Sequence[Candidate],
    scores: Matrix,
    limit: int,
    offers_fact: Callable[[Candidate], bool] = lambda _: True,
) -> list[Chosen]:
    """At most ``limit`` candidates, in the order a reader should see them.

    ``scores`` holds log-odds that a sentence belongs to the answer. Grouped by document, the one with the best
    sentence first; in text order within one. Where no chosen sentence offers the fact asked for (a year, a number), one
    beside them that does takes the place of the weakest: in speech the fact is often a sentence of its own.
    """
    order = [int(i) for i in np.argsort(-scores, kind="stable")]
    sentences = [i for i in order if not candidates[i].is_fragment] or order
    before = _predecessors(candidates)
    taken: list[int] = []
    for i in sentences:
        if len(taken) >= limit or (taken and scores[i] < scores[taken[0]] - KEEP_WITHIN):
            break
        if any(_same(candidates[i], candidates[j]) for j in taken):
            continue
        taken.append(i)
        lead = before.get(i)
        if lead is not None and len(taken) == 1 and limit > 2 and leans(candidates[i].text):
            taken.append(lead)
    if taken and not any(offers_fact(candidates[i]) for i in taken):
        after = {left: right for right, left in before.items()}
        beside = (near.get(i) for i in taken for near in (before, after))
        fact = next((i for i in beside if i is not None and offers_fact(candidates[i])), None)
        if fact is not None:
            taken = [*taken[: limit - 1], fact]
    return [Chosen(i, _echoes(candidates, i)) for i in _reading_order(candidates, taken)]


def _predecessors(candidates: Sequence[Candidate]) -> dict[int, int]:
    """For each candidate the sentence right before it in its document, where that is a candidate and reads as one."""
    order = sorted(range(len(candidates)), key=lambda i: (candidates[i].document.id, candidates[i].span))
    found: dict[int, int] = {}
    for left, right in pairwise(order):
        a, b = candidates[left], candidates[right]
        between = a.document.text[a.span.end : b.span.start] if a.document.id == b.document.id else "apart"
        if not between.strip() and not a.is_fragment:
            found[right] = left
    return found


def _same(one: Candidate, other: Candidate) -> bool:
    if folded(one.text) == folded(other.text):
        return True
    a, b = set(one.terms), set(other.terms)
    return bool(a | b) and len(a & b) / len(a | b) >= SAME_WORDS


def _echoes(candidates: Sequence[Candidate], index: int) -> tuple[int, ...]:
    """The first candidate of each other document that reads the same."""
    text, found = folded(candidates[index].text), dict[str, int]()
    for i, candidate in enumerate(candidates):
        if candidate.document.id != candidates[index].document.id and folded(candidate.text) == text:
            found.setdefault(candidate.document.id, i)
    return tuple(found.values())


def _reading_order(candidates: Sequence[Candidate], taken: Sequence[int]) -> list[int]:
    documents: dict[str, int] = {}
    for i in taken:
        documents.setdefault(candidates[i].document.id, len(documents))
    return sorted(taken, key=lambda i: (documents[candidates[i].document.id], candidates[i].span))
