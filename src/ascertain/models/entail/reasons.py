"""Why the checker thinks what it thinks, in a line for people."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ascertain.models.entail.claim_features import Comparison

FAR = 0.35
"""Cosine under which the nearest sentence is on another subject: 3 % of the supported claims of the sets in docs/claims.md lie there,
11 % of the irrelevant passages of factcheck_gpt."""
_LIKELY = 0.5


def reason(found: Comparison, foreign: NDArray[np.float64], entailed: float) -> str:
    """The gravest thing first: what the evidence denies, the number, the name or the word that it lacks."""
    if found.features["similarity"] < FAR:
        return "nothing in the evidence is close to it"
    if found.opposites:
        return f"the evidence says the opposite of {_quoted(found.opposites)}"
    if found.numbers:
        return f"the evidence has no {_quoted(found.numbers)}"
    if found.names:
        return f"the evidence does not name {_quoted(found.names)}"
    if found.is_negated_otherwise:
        denied = found.features["negated_here_only"] >= found.features["negated_there_only"]
        return "it denies what the evidence does not deny" if denied else "the evidence denies some of it"
    strange = [word for word, odds in zip(found.plain, foreign, strict=True) if odds > 0]
    if strange and entailed < _LIKELY:
        worst = found.plain[int(np.argmax(foreign))]
        return f"the evidence does not say {_quoted((worst,))} in any words"
    if entailed < _LIKELY:
        return "the evidence says it only in part"
    return "the evidence says it" if not found.plain else "the evidence says it in like words"


def _quoted(words: tuple[str, ...]) -> str:
    return ", ".join(f"“{word.strip()}”" for word in dict.fromkeys(words))
