"""Texts as the checker reads them, the words of a claim beside those of the evidence that mean the most alike, and what
these words mean beside each other: synonyms, opposites, things of one kind.

The words are the project's own, in ``language/data/en/words/word_relations.toml``; a word is looked up by its stem.
Opposites made by a prefix or an ending (``happy`` and ``unhappy``, ``careful`` and ``careless``) need no list. Words
are aligned by the greedy match of BERTScore (Zhang et al., ICLR 2020) over the token states of the embedding model, averaged by word.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache, lru_cache
from itertools import permutations

import numpy as np
from numpy.typing import NDArray

from ascertain.core.errors import ModelError
from ascertain.language.languages import ENGLISH, KNOWN, known_language
from ascertain.language.numbers import Quantity, find_quantities
from ascertain.language.sentences import split_sentences
from ascertain.language.tokens import STOP_WORDS, WORD, fold_words, stem_word
from ascertain.language.word_lists import load_phrases, load_word_set, load_words
from ascertain.models.ports import TokenEmbedder, TokenVectors, Vectors

_PREFIXES = ("un", "non")
"""Those before which the rest is nearly always the opposite; not ``in`` or ``dis``: to discover is no opposite of to
cover."""
_SHORTEST = 4
"""Letters of a word that a prefix turns round: ``union`` does not deny ``ion``."""
_COMPARATIVES = ("er", "est")
_IRREGULAR = {
    form: base
    for base, *forms in (line.split() for line in load_phrases("word_relations", "irregular_forms"))
    for form in forms
}


class Relation(StrEnum):
    """How a word of a claim stands to a word of the evidence."""

    SAME = "same"
    SYNONYM = "synonym"
    OPPOSITE = "opposite"
    SIBLING = "sibling"
    """Two kinds of the same thing: apple and pear."""
    NONE = "none"


@dataclass(frozen=True, slots=True)
class Entry:
    """All that is known of a word, as stems; ``bases`` are those of the word itself and of its base form."""

    bases: frozenset[str]
    synonyms: frozenset[str]
    opposites: frozenset[str]
    siblings: frozenset[str]
    every: frozenset[str]
    """All of these together."""


@dataclass(frozen=True, slots=True)
class _Lists:
    """Of every stem in the data: its synonyms, opposites and siblings, and whether it is there at all."""

    synonyms: Mapping[str, set[str]]
    opposites: Mapping[str, set[str]]
    siblings: Mapping[str, set[str]]

    def has(self, base: str) -> bool:
        return base in self.synonyms or base in self.opposites or base in self.siblings


@lru_cache(maxsize=2_000)
def look_up_word(word: str, language: str) -> Entry:
    """The entry of a folded word of ``language``; of one that is not in the data, the bases and the opposites by form."""
    lists, bases = _load_lists(), find_bases(word, language)

    def found(relatives: Mapping[str, set[str]]) -> frozenset[str]:
        return frozenset(other for base in bases for other in relatives.get(base, ())) - bases

    related = (found(lists.synonyms), found(lists.opposites) | _by_form(word, language), found(lists.siblings))
    return Entry(bases, *related, bases.union(*related))


def relate_words(claimed: str, evident: str, language: str) -> Relation:
    """How ``claimed`` stands to ``evident``, both folded; the first that holds, in the order of the enumeration."""
    ours, theirs = look_up_word(claimed, language), find_bases(evident, language)
    if ours.every.isdisjoint(theirs):
        return Relation.NONE
    if ours.bases & theirs:
        return Relation.SAME
    if theirs & ours.synonyms:
        return Relation.SYNONYM
    if theirs & ours.opposites:
        return Relation.OPPOSITE
    return Relation.SIBLING if theirs & ours.siblings else Relation.NONE


@lru_cache(maxsize=20_000)
def find_bases(word: str, language: str) -> frozenset[str]:
    """The stems under which a folded word may stand in the data."""
    bases = {stem_word(word, language), stem_word(_IRREGULAR.get(word, word), language)}
    if any(_load_lists().has(base) for base in bases):
        return frozenset(bases)
    for ending in _COMPARATIVES:
        if word.endswith(ending):
            short = word.removesuffix(ending)
            forms = (short, short + "e", short[:-1], short[:-1] + "y")
            stems = [stem_word(form, language) for form in forms]
            bases |= {stem for stem in stems if _load_lists().has(stem)}
    return frozenset(bases)


def _by_form(word: str, language: str) -> frozenset[str]:
    """Stems of the opposites that a prefix or an ending makes of this word, be they words or not."""
    found: set[str] = set()
    for prefix in _PREFIXES:
        if len(word) >= _SHORTEST:
            found.add(stem_word(prefix + word, language))
        if word.startswith(prefix) and len(word) >= len(prefix) + _SHORTEST:
            found.add(stem_word(word.removeprefix(prefix), language))
    for ending, other in (("ful", "less"), ("less", "ful")):
        if word.endswith(ending):
            found.add(stem_word(word.removesuffix(ending) + other, language))
    return frozenset(found)


@cache
def _load_lists() -> _Lists:
    lists = _Lists(defaultdict(set), defaultdict(set), defaultdict(set))
    for sides in load_phrases("word_relations", "opposites"):
        one, other = map(_stem_group, sides.split("|"))
        _join_group(lists.synonyms, one)
        _join_group(lists.synonyms, other)
        for base in one:
            lists.opposites[base].update(other)
        for base in other:
            lists.opposites[base].update(one)
    for group in load_phrases("word_relations", "synonyms"):
        _join_group(lists.synonyms, _stem_group(group))
    for group in load_phrases("word_relations", "kinds"):
        _join_group(lists.siblings, _stem_group(group))
    return lists


def _stem_group(group: str) -> frozenset[str]:
    return frozenset(stem_word(word, ENGLISH) for word in group.split())


def _join_group(relatives: Mapping[str, set[str]], group: frozenset[str]) -> None:
    for base, other in permutations(group, 2):
        relatives[base].add(other)


@cache
def _compile_negation(language: str) -> re.Pattern[str]:
    """English ones are known beside those of another language, but for what is a word of grammar there: Portuguese "no"."""
    words = dict.fromkeys(load_words("negation", "words"))
    if language in KNOWN:
        grammar = load_word_set("function_words", language, "mul")
        words = dict.fromkeys(word for word in words if word not in grammar)
        words.update(dict.fromkeys(map(fold_words, load_words("words", "negation", language))))
    elided = "|n'.+" if language == "fr" else ""
    return re.compile(f"{'|'.join(words)}|.*n't{elided}")


def is_negation(folded: str, language: str) -> bool:
    """Whether a word, of ``fold_words``, turns a statement in ``language`` round, or says that something did not come about."""
    return _compile_negation(known_language(language)).fullmatch(folded) is not None


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
    is_negation: bool
    """Whether it turns a statement round."""
    pieces: int
    """Tokens of the embedding model: rare words have several."""


@dataclass(frozen=True, slots=True)
class Sentence:
    """``vectors``: one unit row a word. ``whole``: the unit vector of the sentence."""

    text: str
    language: str
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


def read_texts(texts: Iterable[str], language: str, embedder: TokenEmbedder) -> dict[str, Text]:
    """Each distinct text of a question in ``language``; every distinct sentence is embedded once. Raises ModelError when the model cannot run."""
    pieces = {text: [span.of(text) for span in split_sentences(text)] for text in texts}
    distinct = sorted({piece for each in pieces.values() for piece in each}, key=lambda piece: (len(piece), piece))
    tokens = embedder.embed_tokens(distinct)
    if tokens is None:
        raise ModelError("the embedding model gives no tokens, which checking claims by rules needs")
    sentences = {piece: _read_sentence(piece, language, found) for piece, found in zip(distinct, tokens, strict=True)}
    return {text: _build_text([sentences[piece] for piece in each]) for text, each in pieces.items()}


def _read_sentence(text: str, language: str, tokens: TokenVectors) -> Sentence:
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
        words.append(
            Word(
                match.group(),
                small,
                stem_word(small, language),
                small not in STOP_WORDS,
                is_negation(small, language),
                count,
            )
        )
    vectors = np.stack(rows) if rows else np.zeros((0, tokens.whole.shape[0]), dtype=np.float32)
    return Sentence(text, language, tuple(words), vectors, tokens.whole, tuple(find_quantities(text)))


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
