"""Texts as the checker reads them, and the words of a claim beside those of the evidence that mean the most alike.

The greedy match of BERTScore (Zhang et al., ICLR 2020) over the token states of the embedding model, averaged by word.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ascertain.core.errors import ModelError
from ascertain.language.numbers import Quantity, find_quantities
from ascertain.language.sentences import split_sentences
from ascertain.language.tokens import STOP_WORDS, WORD, fold_words, stem_word
from ascertain.language.word_lists import load_alternatives
from ascertain.models.ports import TokenEmbedder, TokenVectors, Vectors

NEGATION = re.compile(rf"{load_alternatives('negation', 'words')}|.*n't")
"""Words that turn a statement round, or say that something did not come about."""

NEAR = 3
"""Sentences of the evidence that count as near: a summary's sentence draws on one to three (see docs/claims.md)."""
_SCOPE_BEFORE = 4
_SCOPE_AFTER = 1
"""Words before and after which a negation still speaks of; English puts it ahead."""
_STEP = 3
"""Neighbours in the claim that align this close in the evidence stand in the same order there."""


@dataclass(frozen=True, slots=True)
class Word:
    """``stem_word`` is that of ``fold_words``; ``is_content`` is false for words of grammar."""

    text: str
    folded: str
    stem: str
    is_content: bool
    pieces: int
    """Tokens of the embedding model: rare words have several."""

    @property
    def is_negation(self) -> bool:
        """Whether it turns a statement round."""
        return NEGATION.fullmatch(self.folded) is not None


@dataclass(frozen=True, slots=True)
class Sentence:
    """``vectors``: one unit row a word. ``whole``: the unit vector of the sentence."""

    text: str
    words: tuple[Word, ...]
    vectors: Vectors
    whole: Vectors
    quantities: tuple[Quantity, ...]


@dataclass(frozen=True, slots=True)
class Text:
    """All sentences that hold words; the arrays run over the words of all of them."""

    sentences: tuple[Sentence, ...]
    words: tuple[Word, ...]
    vectors: Vectors
    stems: NDArray[np.str_]
    negations: NDArray[np.bool_]
    sentence_of: NDArray[np.int64]

    @property
    def quantities(self) -> list[Quantity]:
        """The numbers of all sentences."""
        return [quantity for sentence in self.sentences for quantity in sentence.quantities]


def read_texts(texts: Iterable[str], embedder: TokenEmbedder) -> dict[str, Text]:
    """Each distinct text; every distinct sentence is embedded once. Raises ModelError when the model cannot run."""
    pieces = {text: [span.of(text) for span in split_sentences(text)] for text in texts}
    distinct = sorted({piece for each in pieces.values() for piece in each}, key=lambda piece: (len(piece), piece))
    tokens = embedder.embed_tokens(distinct)
    if tokens is None:
        raise ModelError("the embedding model gives no tokens, which checking claims by rules needs")
    sentences = {piece: _read_sentence(piece, found) for piece, found in zip(distinct, tokens, strict=True)}
    return {text: _build_text([sentences[piece] for piece in each]) for text, each in pieces.items()}


def _read_sentence(text: str, tokens: TokenVectors) -> Sentence:
    spans = np.array(tokens.spans, dtype=np.int64).reshape(-1, 2)
    words: list[Word] = []
    rows: list[Vectors] = []
    for match in WORD.finditer(text):
        inside = (spans[:, 0] < match.end()) & (spans[:, 1] > match.start())
        count = int(inside.sum())
        if not count:
            break  # past the model's window
        mean = tokens.vectors[inside].mean(axis=0)
        rows.append(mean / max(float(np.linalg.norm(mean)), 1e-9))
        small = fold_words(match.group()).replace("’", "'")
        words.append(Word(match.group(), small, stem_word(small), small not in STOP_WORDS, count))
    vectors = np.stack(rows) if rows else np.zeros((0, tokens.whole.shape[0]), dtype=np.float32)
    return Sentence(text, tuple(words), vectors, tokens.whole, tuple(find_quantities(text)))


def _build_text(sentences: Sequence[Sentence]) -> Text:
    kept = tuple(sentence for sentence in sentences if sentence.words)
    words = tuple(word for sentence in kept for word in sentence.words)
    return Text(
        kept,
        words,
        np.concatenate([s.vectors for s in kept]) if kept else np.zeros((0, 1), dtype=np.float32),
        np.array([word.stem for word in words], dtype=np.str_),
        np.array([word.is_negation for word in words], dtype=np.bool_),
        np.repeat(np.arange(len(kept)), [len(s.words) for s in kept]),
    )


@dataclass(frozen=True, slots=True)
class Alignment:
    """One sentence of a claim against a text; the arrays run over the words of the sentence.

    ``partner`` is the index of the aligned word of the text, ``match`` its cosine, ``match_near`` the best cosine
    within the nearest sentences. ``shared`` and ``shared_near`` say whether the word's stem stands there. ``follows``
    and ``precedes`` say whether the word keeps its order with the word before and after it. ``negated`` and
    ``partner_negated`` say whether a negation stands close to the word and to its partner. ``similarity`` is the cosine
    of the nearest sentence.
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


def align_sentence(sentence: Sentence, text: Text) -> Alignment:
    """Align a sentence with a text, both of which hold words."""
    closeness = np.array([float(sentence.whole @ other.whole) for other in text.sentences])
    nearest = np.argsort(-closeness, kind="stable")[:NEAR]
    near = np.isin(text.sentence_of, nearest)
    cosines = (sentence.vectors @ text.vectors.T).astype(np.float64)
    partner = _find_partners(sentence, text, cosines)
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


def _find_partners(sentence: Sentence, text: Text, cosines: NDArray[np.float64]) -> NDArray[np.int64]:
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
