"""Whether a sentence speaks of what each word of a question asks, word by word and in context.

Late interaction (MaxSim of Khattab & Zaharia, "ColBERT", SIGIR 2020): each word of the question is compared with the token
of the sentence that is closest to it in meaning, so that a sentence about the right thing but another side of it stands out.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np

from ascertain.answering.question import Question
from ascertain.language.tokens import WORD, content_terms
from ascertain.models.ports import TokenVectors

UNREAD = 0.6
"""Match of a question all of whose words stand in the title: about the mean on the development sets."""


@dataclass(frozen=True, slots=True)
class Alignment:
    """``tokens``: mean over every token of the question. ``words``: over its words that tell something and do not stand in
    the title over the sentence, weighed by how much they tell. Both of the best matching token, about 0..1.
    """

    tokens: float
    words: float


def align(question: Question, asked: TokenVectors, said: TokenVectors, title: str) -> Alignment:
    """Align ``asked``, the tokens of the question, with those of a sentence under ``title``."""
    if not len(asked.vectors) or not len(said.vectors):
        return Alignment(0.0, UNREAD)
    nearest = (asked.vectors @ said.vectors.T).max(axis=1)
    known = set(content_terms(title))
    matches: list[float] = []
    weights: list[float] = []
    for match in WORD.finditer(question.text):
        terms = content_terms(match.group())
        rows = _tokens_of(match.span(), asked.spans)
        if terms and rows and not known.intersection(terms):
            matches.append(float(nearest[rows].mean()))
            weights.append(_weight(question, terms))
    words = float(np.average(matches, weights=weights)) if matches else UNREAD
    return Alignment(float(nearest.mean()), words)


def _tokens_of(word: tuple[int, int], spans: Sequence[tuple[int, int]]) -> list[int]:
    return [i for i, (start, end) in enumerate(spans) if start < word[1] and end > word[0]]


def _weight(question: Question, terms: Collection[str]) -> float:
    return max(question.weights.get(term, 0.05) for term in terms)
