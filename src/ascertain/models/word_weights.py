"""How much a word tells, from its rank in everyday English.

``log(1 + rank) / log(1 + ranks known)``, the logarithmic form of Zipf's law; 1 for a word outside the list.
``data/common_stems.txt`` holds stems by falling frequency: those of the first 10,000 whole words in the vocabulary of
bert-base-uncased (Devlin et al., Apache-2.0), which is in that order.
"""

from __future__ import annotations

import math
from functools import cache
from importlib.resources import files


def informativeness(term: str) -> float:
    """How much a stem tells, 0..1: near 0 for the commonest words, 1 for rare ones, numbers and unknown names."""
    ranks = _ranks()
    if term not in ranks:
        return 1.0
    return math.log1p(ranks[term]) / math.log1p(len(ranks))


@cache
def _ranks() -> dict[str, int]:
    stems = files("ascertain.models").joinpath("data/common_stems.txt").read_text("utf-8").split()
    return {stem: rank for rank, stem in enumerate(stems)}
