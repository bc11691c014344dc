"""What speaks for and against a single word of a claim that the evidence does not have: is it said there in other words?"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ascertain.models.entail.alignment import Alignment
from ascertain.models.entail.lexicon import Relation, entry, relation
from ascertain.models.entail.reading import Word

_RELATIONS = tuple(f"partner_{kind}" for kind in Relation if kind is not Relation.NONE)
_ELSEWHERE = ("synonym", "opposite", "sibling")
WORD_FEATURES = (
    *_RELATIONS,
    *_ELSEWHERE,
    *(f"{name}_near" for name in _ELSEWHERE),
    "match",
    "match_near",
    "follows",
    "precedes",
    "is_adverb",
    "pieces",
)


def word_features(alignment: Alignment, places: Sequence[int]) -> NDArray[np.float64]:
    """One row a word of the sentence at ``places``, with the columns of ``WORD_FEATURES``."""
    text = alignment.text
    everywhere = frozenset(text.stems.tolist())
    near = frozenset(text.stems[alignment.near].tolist())
    rows: list[list[float]] = []
    for place in places:
        word = alignment.sentence.words[place]
        partner = text.words[int(alignment.partner[place])]
        known = entry(word.folded)
        related = (known.synonyms, known.opposites, known.siblings)
        rows.append(
            [
                *_one_hot(word, partner),
                *(float(bool(stems & everywhere)) for stems in related),
                *(float(bool(stems & near)) for stems in related),
                float(alignment.match[place]),
                float(alignment.match_near[place]),
                float(alignment.follows[place]),
                float(alignment.precedes[place]),
                float(word.folded.endswith("ly")),
                float(np.log(word.pieces)),
            ]
        )
    return np.array(rows, dtype=np.float64).reshape(-1, len(WORD_FEATURES))


def _one_hot(word: Word, partner: Word) -> list[float]:
    found = relation(word.folded, partner.folded)
    return [float(found is kind) for kind in Relation if kind is not Relation.NONE]
