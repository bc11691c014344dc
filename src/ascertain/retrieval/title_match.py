"""How far a question names a title."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping

from ascertain.language.tokens import content_terms


def inverse_document_frequency(frequency: int, chunks: int) -> float:
    """``ln(1 + (N - n + 0.5) / (n + 0.5))``, the non-negative form BM25 uses (Robertson & Zaragoza, 2009)."""
    return math.log1p((max(chunks, frequency) - frequency + 0.5) / (frequency + 0.5))


def title_match(title: str, question_stems: Iterable[str], idf: Mapping[str, float]) -> float:
    """The share, 0..1, of the title's weight that the question names.

    Each stem of the title weighs its inverse document frequency; one without any is taken as the rarest known, since
    a word of a title stands in the index at least once.
    """
    stems = set(content_terms(title))
    if not stems:
        return 0.0
    rarest = max(idf.values(), default=1.0)
    asked = set(question_stems)
    total = sum(idf.get(stem, rarest) for stem in stems)
    named = sum(idf.get(stem, rarest) for stem in stems if stem in asked)
    return named / total if total > 0 else 0.0
