"""Texts as the checker reads them: sentences of words, each word with what it means where it stands."""

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
    """Each distinct text; every distinct sentence is embedded once. Raises ModelError when the model cannot
    run.
    """
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
