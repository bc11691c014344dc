"""Decomposition: a question over several documents split by rules into what each of them is asked.

Three shapes of English question are split: comparisons ("Which came first, A or B?"), questions joined by "and", and
nested descriptions ("the director of the film that …"), whose inside is asked first. The description of what such questions
look like is that of HotpotQA (Yang et al., EMNLP 2018: bridge and comparison) and MuSiQue (Trivedi et al., TACL 2022).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from ascertain.core.plans import SubQuery, SubQueryType
from ascertain.models.terms import content_terms
from ascertain.retrieval.calculation import without_calculation
from ascertain.retrieval.comparison import compared
from ascertain.retrieval.descriptions import nested_descriptions

MAX_SUB_QUERIES = 4
"""Each costs a search; dev questions of four hops are covered."""

_JOINED = re.compile(
    r"(?:[,;]?\s+and\s+|[,;]\s+)(?=(?:how|what|when|where|which|who|whom|whose|why)\s+(?!\w+ed\b)\w+)",
    re.IGNORECASE,
)
_STARTS_LIKE_A_QUESTION = re.compile(
    r"(?:how|what|when|where|which|who|whom|whose|why|in|at|on|from|is|are|was|were|do|does|did|can|should)\b",
    re.IGNORECASE,
)
_SENTENCES = re.compile(r"(?<=[^\W\d_]{3}[.?!])\s+(?=[A-Z])")
_METHOD = re.compile(
    r"\bhow (?:do|does|can|could|should|would|to)\b|\b(?:steps?|procedure|method|approach|configure|set up|install)\b",
    re.IGNORECASE,
)
_CONCEPT = re.compile(
    r"\bwhy\b|\b(?:explain|meaning|mean|difference|differ|concept|advantages?|purpose|relationship)\b",
    re.IGNORECASE,
)


def decompose(question: str) -> tuple[SubQuery, ...]:
    """The parts of ``question``, most urgent first; empty for one that asks a single thing.

    At most MAX_SUB_QUERIES. Parts of a comparison or of joined questions are independent and share priority 1; the inside of
    a nested description comes before what is asked of it.
    """
    asked = " ".join(question.split())
    core = without_calculation(asked)
    sides = compared(core)
    if sides:
        return _sub_queries((side, 1) for side in sides)
    parts = _joined(core)
    if parts:
        return _sub_queries((part, 1) for part in parts)
    nested = nested_descriptions(core)
    if nested:
        return _sub_queries((part, priority) for priority, part in enumerate(nested, start=1))
    return _sub_queries([(core, 1)]) if core != asked else ()


def needs_iteration(question: str) -> bool:
    """Whether an answer is likely to lie in a document that ``question`` does not name."""
    return bool(decompose(question))


def sub_query_type(text: str) -> SubQueryType:
    """What one part looks for, by its words."""
    if _METHOD.search(text):
        return SubQueryType.METHODOLOGICAL
    if _CONCEPT.search(text):
        return SubQueryType.CONCEPTUAL
    return SubQueryType.FACTUAL


def _joined(question: str) -> Sequence[str]:
    """Questions asked in one breath: several sentences, or clauses that each have a question word of their own."""
    sentences = [part for part in _SENTENCES.split(question) if content_terms(part)]
    if len(sentences) > 1:
        return sentences
    clauses = [part.strip() for part in _JOINED.split(question)]
    if len(clauses) > 1 and _STARTS_LIKE_A_QUESTION.match(clauses[0]) and all(map(content_terms, clauses)):
        return clauses
    return ()


def _sub_queries(parts: Iterable[tuple[str, int]]) -> tuple[SubQuery, ...]:
    seen: dict[str, SubQuery] = {}
    for text, priority in parts:
        tidy = text.strip(" ,;:?.")
        if tidy:
            seen.setdefault(tidy.casefold(), SubQuery(tidy, sub_query_type(tidy), priority))
    return tuple(seen.values())[:MAX_SUB_QUERIES]
