"""What a question asks, seen word by word."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from itertools import pairwise

from ascertain.answering.answer_kinds import AnswerKind, expected_kind
from ascertain.answering.identifiers import identifiers
from ascertain.language.tokens import WORD, content_terms, informativeness


@dataclass(frozen=True, slots=True)
class Question:
    """A question with its content terms (stems), their weights, and the kind of answer it expects."""

    text: str
    weights: Mapping[str, float]
    """Weight of each content term, in order of the question; above 0."""
    pairs: frozenset[tuple[str, str]]
    """Content terms that follow each other."""
    specifics: frozenset[str]
    """Terms of names and numbers: those written with a capital inside the question, or with a digit."""
    kind: AnswerKind
    codes: tuple[str, ...]
    """Identifiers and versions, as written."""

    def coverage(self, terms: Collection[str]) -> float:
        """Share of the question's term weight found in ``terms``, 0..1; 0 for a question without content terms."""
        total = sum(self.weights.values())
        found = sum(weight for term, weight in self.weights.items() if term in terms)
        return found / total if total else 0.0


def analyse(question: str) -> Question:
    """Take a question apart."""
    terms = content_terms(question)
    return Question(
        text=question,
        weights={term: max(informativeness(term), 0.05) for term in terms},
        pairs=frozenset(pairwise(terms)),
        specifics=_specifics(question),
        kind=expected_kind(question),
        codes=identifiers(question),
    )


def _specifics(question: str) -> frozenset[str]:
    found: set[str] = set()
    for match in WORD.finditer(question):
        word = match.group()
        starts = not re.search(r"\w", question[: match.start()])
        if any(c.isdigit() for c in word) or (any(c.isupper() for c in word) and not starts):
            found.update(content_terms(word))
    return frozenset(found)
