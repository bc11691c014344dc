"""Bringing the cosines of any embedding model onto the scale of the built-in one, which weights and floors were fitted to.

Models differ in where their cosines lie: two unrelated texts have .05 with the built-in model and to .75
with E5. A straight line brings the one onto the other; what is near stays near, and only the scale changes. Of models in
``models/embed/known.toml`` that were measured the line is known; for others it is drawn through two points that a sample of the corpus gives:
the cosine of a sentence to a passage that it is not from, and to its own.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ascertain.core.asking.passages import Passage
from ascertain.models.embed.cards import BUILT_IN, find_known_model
from ascertain.models.ports import Vectors

UNRELATED, OWN = 0.05, 0.58
"""Medians with the built-in model of the cosine of a sentence to another passage and to its own, over three sets: bench/retrieval/embedders.py."""
LEAST_SAMPLE = 8
"""Passages below which nothing is estimated: with fewer, one odd text decides."""
MOST_SAMPLE = 32
"""Passages of a sample; twice as many move the line by less than .01."""
STEEPEST = 8.0
"""A model whose own and other passages lie closer together than this allows can hardly separate them; a line does not help."""


@dataclass(frozen=True, slots=True)
class SimilarityScale:
    """``scaled = slope · cosine + intercept``; ``origin`` says for people where the line is from."""

    slope: float = 1.0
    intercept: float = 0.0
    origin: str = ""

    def apply(self, cosines: NDArray[np.floating]) -> NDArray[np.float64]:
        """Cosines as the built-in model might give them, at most 1."""
        return np.minimum(self.slope * np.asarray(cosines, np.float64) + self.intercept, 1.0)

    def invert(self, similarity: float) -> float:
        """The model's own cosine where ``apply`` gives ``similarity``, in -1..1."""
        return float(np.clip((similarity - self.intercept) / self.slope, -1.0, 1.0))

    def describe(self) -> str:
        """How cosines are scaled and why, for people."""
        if (self.slope, self.intercept) == (1.0, 0.0):
            return f"taken as it is ({self.origin})" if self.origin else "taken as it is"
        return f"scaled by {self.slope:.2f} · cosine {self.intercept:+.2f} ({self.origin})"


PLAIN = SimilarityScale()


def find_scale(name: str) -> SimilarityScale | None:
    """The scale of a model by its name in a store; None where it has to be estimated."""
    if name == BUILT_IN:
        return PLAIN
    known = find_known_model(name)
    return SimilarityScale(known.slope, known.intercept, "measured") if known and known.slope else None


def estimate_scale(questions: Vectors, passages: Vectors) -> SimilarityScale:
    """The line through two points: row ``i`` of ``questions`` is a sentence of passage ``i``, embedded as a question is.

    Cosines are left as they are where there are too few, or where the model cannot tell a passage from another; ``origin`` says so.
    """
    count = len(passages)
    if count < LEAST_SAMPLE:
        return SimilarityScale(origin=f"its scale is not known, and {count} passages are too few to estimate it")
    cosines = questions @ passages.T
    own = float(np.median(np.diagonal(cosines)))
    other = float(np.median(cosines[~np.eye(count, dtype=bool)]))
    if own - other < (OWN - UNRELATED) / STEEPEST:
        return SimilarityScale(
            origin=f"its scale is not known, and in {count} passages it hardly separates one from another"
        )
    slope = (OWN - UNRELATED) / (own - other)
    return SimilarityScale(slope, UNRELATED - slope * other, f"estimated from {count} passages")


def choose_sample(count: int) -> Sequence[int]:
    """Places of the passages that a sample of ``count`` takes, spread evenly."""
    size = min(count, MOST_SAMPLE)
    return [int(place) for place in np.linspace(0, count - 1, size)] if size else []


CROSSING = "crossing"
"""Among the scores of a passage: it is in another language than the question, and the embedding model reads both."""
_EVEN, _WIDTH = 0.3, 0.04
"""Nearness at which a passage in another language answers as likely as not, and how fast that changes: of 160 questions that XQuAD's
English paragraphs answer, asked in four languages, 96 % lie above .28, of 64 that they do not answer 14 % (multilingual-e5-small).
"""


def find_crossing(passages: Sequence[Passage]) -> float | None:
    """The nearness of the best of ``passages``, on the common scale, where it is in another language than the question."""
    near = [passage for passage in passages if "dense" in passage.scores]
    best = max(near, key=lambda passage: passage.scores["dense"], default=None)
    return best.scores["dense"] if best is not None and CROSSING in best.scores else None


def rate_crossing(similarity: float) -> float:
    """The chance, 0..1, that a passage in another language answers: words say nothing there, only how near it is."""
    return 1.0 / (1.0 + math.exp(-(similarity - _EVEN) / _WIDTH))
