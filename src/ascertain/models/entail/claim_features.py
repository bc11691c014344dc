"""What speaks for and against a claim as a whole."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from ascertain.language.numbers import SMALL, TENS, holds
from ascertain.language.word_lists import load_word_set
from ascertain.models.entail.alignment import Alignment, align
from ascertain.models.entail.lexicon import Relation, relation
from ascertain.models.entail.reading import Text, Word
from ascertain.models.entail.word_features import word_features

CLAIM_FEATURES = (
    "words",
    "new_words",
    "new_share",
    "new_names",
    "new_numerals",
    "other_quantities",
    "negations",
    "negations_not_near",
    "negated_here_only",
    "negated_there_only",
    "negated_in_both",
    "similarity",
    "foreign_sum",
    "foreign_worst",
    "foreign_mean",
)
CONTRADICTION_FEATURES = ("similarity", "new_share", "opposites", "other_quantities", "negated_otherwise")

_MOST = {"new_names": 3, "new_numerals": 2, "other_quantities": 2, "negations": 3, "negations_not_near": 2}
_MOST_NEGATED = 6
"""Counts beyond these say no more: most claims have none, and a list of names is one mistake rather than ten.
"""


@dataclass(frozen=True, slots=True)
class Comparison:
    """A claim against evidence: what was found, by word. ``rows`` are the word features of ``plain``."""

    features: dict[str, float]
    names: tuple[str, ...]
    numbers: tuple[str, ...]
    plain: tuple[str, ...]
    opposites: tuple[str, ...]
    is_negated_otherwise: bool
    rows: NDArray[np.float64] = field(repr=False)


def compare(claim: Text, evidence: Text) -> Comparison:
    """Compare a claim with evidence, both of which hold words; the foreign words are left to ``foreignness``."""
    alignments = [align(sentence, evidence) for sentence in claim.sentences]
    content = sum(word.is_content for word in claim.words)
    names = [w.text for a in alignments for w in _new(a) if _is_name(w, a)]
    numerals = [w.text for a in alignments for w in _new(a) if _is_numeral(w)]
    there = evidence.quantities
    numbers = [q.text for q in claim.quantities if not holds(q, there)]
    plain = [[i for i in _new_places(a) if _is_plain(a, i)] for a in alignments]
    opposites = [
        a.sentence.words[i].text
        for a, places in zip(alignments, plain, strict=True)
        for i in places
        if _is_turned(a, i)
    ]
    new = sum(len(_new_places(a)) for a in alignments)
    negated = _negated(alignments)
    features = {
        "words": float(content),
        "new_words": float(new),
        "new_share": new / max(content, 1),
        "new_names": float(len(names)),
        "new_numerals": float(len(numerals)),
        "other_quantities": float(len(numbers)),
        "negations": float(sum(word.is_negation for word in claim.words)),
        "negations_not_near": float(
            sum(
                w.is_negation and not a.shared_near[i]
                for a in alignments
                for i, w in enumerate(a.sentence.words)
            )
        ),
        **negated,
        "similarity": min(a.similarity for a in alignments),
        "opposites": float(len(opposites)),
        "negated_otherwise": negated["negated_here_only"] + negated["negated_there_only"],
    }
    for name, most in _MOST.items():
        features[name] = min(features[name], most)
    return Comparison(
        features,
        tuple(names),
        tuple(numbers),
        tuple(a.sentence.words[i].text for a, places in zip(alignments, plain, strict=True) for i in places),
        tuple(opposites),
        features["negated_otherwise"] > features["negated_in_both"],
        np.concatenate([word_features(a, places) for a, places in zip(alignments, plain, strict=True)]),
    )


def foreignness(log_odds: NDArray[np.float64]) -> dict[str, float]:
    """The last columns of ``CLAIM_FEATURES`` from the log-odds that each plain new word is not said in the
    evidence.

    ``foreign_sum`` is minus the logarithm of the chance that all of them are said there.
    """
    if not len(log_odds):
        return {"foreign_sum": 0.0, "foreign_worst": 0.0, "foreign_mean": 0.0}
    chance = 1 / (1 + np.exp(-log_odds))
    return {
        "foreign_sum": float(np.logaddexp(0, log_odds).sum()),
        "foreign_worst": float(chance.max()),
        "foreign_mean": float(chance.mean()),
    }


def _new_places(alignment: Alignment) -> list[int]:
    words = alignment.sentence.words
    return [i for i, word in enumerate(words) if word.is_content and not alignment.shared[i]]


def _new(alignment: Alignment) -> list[Word]:
    return [alignment.sentence.words[i] for i in _new_places(alignment)]


def _is_numeral(word: Word) -> bool:
    return any(map(str.isdigit, word.text)) or word.folded in _NUMERALS


def _is_name(word: Word, alignment: Alignment) -> bool:
    if not word.text[0].isupper() or _is_numeral(word):
        return False
    return word is not alignment.sentence.words[0]


def _is_plain(alignment: Alignment, place: int) -> bool:
    word = alignment.sentence.words[place]
    return not _is_numeral(word) and not _is_name(word, alignment)


def _is_turned(alignment: Alignment, place: int) -> bool:
    partner = alignment.text.words[int(alignment.partner[place])]
    return relation(alignment.sentence.words[place].folded, partner.folded) is Relation.OPPOSITE


def _negated(alignments: Sequence[Alignment]) -> dict[str, float]:
    here = there = both = 0
    for alignment in alignments:
        content = np.array([word.is_content for word in alignment.sentence.words])
        ours, theirs = alignment.negated & content, alignment.partner_negated & content
        here += int((ours & ~theirs).sum())
        there += int((theirs & ~ours).sum())
        both += int((ours & theirs).sum())
    return {
        "negated_here_only": float(min(here, _MOST_NEGATED)),
        "negated_there_only": float(min(there, _MOST_NEGATED)),
        "negated_in_both": float(min(both, _MOST_NEGATED)),
    }


_NUMERALS = frozenset((*SMALL[2:], *TENS)) | load_word_set("quantities", "counting")
