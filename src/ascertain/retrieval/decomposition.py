"""Decomposition: a question over several documents split by rules into what each of them is asked.

Three shapes of English question are split: comparisons ("Which came first, A or B?"), questions joined by "and", and
nested descriptions ("the director of the film that …"), whose inside is asked first. The description of what such questions
look like is that of HotpotQA (Yang et al., EMNLP 2018: bridge and comparison) and MuSiQue (Trivedi et al., TACL 2022).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from ascertain.core.plans import SubQuery, SubQueryType
from ascertain.language.names import names_in
from ascertain.language.tokens import content_terms
from ascertain.language.word_lists import compile_pattern, load_pattern
from ascertain.retrieval.calculation import without_calculation
from ascertain.retrieval.comparison import compared
from ascertain.retrieval.descriptions import nested_descriptions

MAX_SUB_QUERIES = 4
"""Each costs a search; dev questions of four hops are covered."""

MAX_CHARACTERS = 1000
"""A longer text is more than a question, and no rule here reads it well."""

_JOINED = compile_pattern("nested_questions", "joined")
_STARTS_LIKE_A_QUESTION = re.compile(
    rf"{load_pattern('nested_questions', 'starts_like_a_question')}\b", re.IGNORECASE
)
_ATTRIBUTION = re.compile(r",?\s*\baccording to\b[^,?]*,?", re.IGNORECASE)
"""Who is to have said it, not what is asked."""
_SENTENCES = re.compile(r"(?<=[^\W\d_]{3}[.?!])\s+(?=[A-Z])")
_METHOD = compile_pattern("question_types", "method")
_CONCEPT = compile_pattern("question_types", "concept")
_ASKS_LAST = compile_pattern("nested_questions", "asks_last", re.IGNORECASE | re.DOTALL)
"""A statement that ends in a question: "Toad Hall is a hall of a university in what city?"."""
_KIND_BY_NAME = compile_pattern("nested_questions", "kind_by_name", flags=0)
"""A thing told by another's name: "the country Signmark is from"."""
_SOME_KIND = compile_pattern("nested_questions", "some_kind", flags=0)
_TOGETHER = re.compile(r"\b(?:both|in common|connected|related to|respective|same)\b")


def decompose(question: str) -> tuple[SubQuery, ...]:
    """The parts of ``question``, most urgent first; empty for one that asks a single thing.

    At most MAX_SUB_QUERIES. Parts of a comparison or of joined questions are independent and share priority 1; the inside of
    a nested description comes before what is asked of it.
    """
    asked = " ".join(question.split())
    if len(asked) > MAX_CHARACTERS:
        return ()
    said_by_anyone = _ATTRIBUTION.sub("", asked).strip()
    core = without_calculation(said_by_anyone)
    sides = compared(core)
    if sides:
        return _sub_queries((side, 1) for side in sides)
    parts = _joined(core)
    if parts:
        return _sub_queries((part, 1) for part in parts)
    nested = nested_descriptions(core)
    if nested:
        return _sub_queries((part, priority) for priority, part in enumerate(nested, start=1))
    return _sub_queries([(core, 1)]) if core != said_by_anyone else ()


def needs_iteration(question: str) -> bool:
    """Whether an answer is likely to take a document that ``question`` does not name.

    Says yes when in doubt: following bridges where none is needed costs time, but half a point of R@5 at most.
    """
    if len(question) > MAX_CHARACTERS:
        return False
    if decompose(question):
        return True
    clues = (_ASKS_LAST, _KIND_BY_NAME, _SOME_KIND, _TOGETHER)
    return bool(names_in(question)) and any(clue.search(question) for clue in clues)


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
