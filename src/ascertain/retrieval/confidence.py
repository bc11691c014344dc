"""How far a result set can be trusted, before anything is answered from it.

A logistic model of "does one of these passages answer the question" over the best cosine and the share of the
question's weight (inverse document frequency) that the best of the top passages holds; without the former for keyword
searches, which compute none. The weights are in ``models/weights``, with what they were fitted from. The answer's own
confidence looks closer; this one is for bare searches.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ascertain.core.passages import Confidence, Level
from ascertain.models.logistic_model import convert_log_odds, load_logistic_model

SEARCH_FEATURES = ("similarity", "coverage")
WORDS_ONLY_FEATURES = ("coverage",)
HIGH = 65
MEDIUM = 40
LOW = 10
FULL_COVERAGE = 0.999
"""A passage with every word of the query is on its subject; a query of two words never comes close by meaning."""


def coverage(stems: Iterable[str], question_stems: Iterable[str], idf: Mapping[str, float]) -> float:
    """Share of the question's weight that a text's ``stems`` hold, 0..1."""
    held = set(stems)
    asked = set(question_stems)
    total = sum(idf.get(stem, 0.0) for stem in asked)
    return sum(idf.get(stem, 0.0) for stem in asked & held) / total if total > 0 else 0.0


def search_confidence(best_similarity: float | None, best_coverage: float) -> Confidence:
    """Level, score 0..100 and caveat for a list whose best passage has these features (both 0..1).

    ``best_similarity`` is None where the search computed none.
    """
    if best_similarity is None:
        model = load_logistic_model("search_confidence_words_only", WORDS_ONLY_FEATURES)
        values = {"coverage": best_coverage}
    else:
        model = load_logistic_model("search_confidence", SEARCH_FEATURES)
        values = {"coverage": best_coverage, "similarity": best_similarity}
    score = round(100 * convert_log_odds(model.weigh_features(values)))
    if best_coverage >= FULL_COVERAGE:
        score = max(score, MEDIUM)
    if score >= HIGH:
        return Confidence(Level.HIGH, score)
    if score >= MEDIUM:
        return Confidence(
            Level.MEDIUM, score, "These passages are on the subject but may not answer the question."
        )
    if score >= LOW:
        return Confidence(Level.LOW, score, "Only loosely related passages were found.")
    return Confidence(
        Level.NONE, score, "Nothing found fits the question; these are merely the nearest passages."
    )


def nothing_found(searched: str) -> Confidence:
    """For an empty list; ``searched`` says what was looked through."""
    return Confidence(
        Level.NONE, 0, f"Nothing was found in {searched}. Try other words, wider dates or fewer filters."
    )
