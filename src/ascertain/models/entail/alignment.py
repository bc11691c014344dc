"""Words of a claim's sentence beside the words of the evidence that mean the most alike where they stand.

The greedy match of BERTScore (Zhang et al., ICLR 2020) over the token states of the embedding model, averaged by word.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ascertain.models.entail.reading import Sentence, Text

NEAR = 3
"""Sentences of the evidence that count as near: a summary's sentence draws on one to three (see docs/claims.md)."""
_SCOPE_BEFORE = 4
_SCOPE_AFTER = 1
"""Words before and after which a negation still speaks of; English puts it ahead."""
_STEP = 3
"""Neighbours in the claim that align this close in the evidence stand in the same order there."""


@dataclass(frozen=True, slots=True)
class Alignment:
    """One sentence of a claim against a text; the arrays run over the words of the sentence.

    ``partner`` is the index of the aligned word of the text, ``match`` its cosine, ``match_near`` the best cosine within the
    nearest sentences. ``shared`` and ``shared_near`` say whether the word's stem stands there. ``follows`` and ``precedes``
    say whether the word keeps its order with the word before and after it. ``negated`` and ``partner_negated`` say
    whether a negation stands close to the word and to its partner. ``similarity`` is the cosine of the nearest sentence.
    """

    sentence: Sentence
    text: Text
    similarity: float
    near: NDArray[np.bool_]
    partner: NDArray[np.int64]
    match: NDArray[np.float64]
    match_near: NDArray[np.float64]
    shared: NDArray[np.bool_]
    shared_near: NDArray[np.bool_]
    follows: NDArray[np.bool_]
    precedes: NDArray[np.bool_]
    negated: NDArray[np.bool_]
    partner_negated: NDArray[np.bool_]


def align(sentence: Sentence, text: Text) -> Alignment:
    """Align a sentence with a text, both of which hold words."""
    closeness = np.array([float(sentence.whole @ other.whole) for other in text.sentences])
    nearest = np.argsort(-closeness, kind="stable")[:NEAR]
    near = np.isin(text.sentence_of, nearest)
    cosines = (sentence.vectors @ text.vectors.T).astype(np.float64)
    partner = _partners(sentence, text, cosines)
    same = np.array([word.stem for word in sentence.words], dtype=np.str_)[:, None] == text.stems[None, :]
    in_order = (np.diff(partner) >= 0) & (np.diff(partner) <= _STEP)
    scope = _in_scope(text.negations)
    return Alignment(
        sentence=sentence,
        text=text,
        similarity=float(closeness.max()),
        near=near,
        partner=partner,
        match=cosines.max(axis=1),
        match_near=cosines[:, near].max(axis=1),
        shared=same.any(axis=1),
        shared_near=same[:, near].any(axis=1),
        follows=np.concatenate([[False], in_order]),
        precedes=np.concatenate([in_order, [False]]),
        negated=_in_scope(np.array([word.is_negation for word in sentence.words], dtype=np.bool_)),
        partner_negated=scope[partner],
    )


def _partners(sentence: Sentence, text: Text, cosines: NDArray[np.float64]) -> NDArray[np.int64]:
    """Words that carry meaning are aligned with their like: their states lean to the words of grammar beside them."""
    ours = np.array([word.is_content for word in sentence.words], dtype=np.bool_)
    theirs = np.array([word.is_content for word in text.words], dtype=np.bool_)
    if not theirs.any():
        return np.argmax(cosines, axis=1)
    fitting = np.where(ours[:, None] & ~theirs[None, :], -np.inf, cosines)
    return np.argmax(fitting, axis=1)


def _in_scope(negations: NDArray[np.bool_]) -> NDArray[np.bool_]:
    scope = np.zeros(len(negations), dtype=np.bool_)
    for place in np.flatnonzero(negations):
        scope[max(0, place - _SCOPE_AFTER) : place + _SCOPE_BEFORE + 1] = True
    return scope
