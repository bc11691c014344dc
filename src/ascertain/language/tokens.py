"""Words as they are compared: folded, stemmed, weighed, without the ones that carry no meaning.

Stems are Snowball's (snowballstem.org) of the language given, those that the stores' lexical indexes use: for English
Porter's second algorithm.
"""

import math
import re
import unicodedata
from functools import cache, lru_cache
from threading import Lock
from typing import Any, cast

import snowballstemmer  # pyright: ignore[reportMissingTypeStubs]

from ascertain.language.languages import ENGLISH, KNOWN
from ascertain.language.remembering import remember_texts
from ascertain.language.scripts import GRAMMATICAL, WORD_PATTERN, load_grammar, split_units
from ascertain.language.word_lists import list_names, load_word_set, load_words

STOP_WORDS = load_word_set("stop_words", "stop_words")
"""English words that say nothing of what a text is about."""

WORD = re.compile(WORD_PATTERN)

_STEMMING = Lock()
"""The stemmer keeps its word in itself, so it serves one thread at a time."""


def fold_words(text: str) -> str:
    """Lower case, compatibility forms unified, accents dropped: how words are compared."""
    if text.isascii():
        return text.lower()
    # Decomposed first: mathematical capitals have no lower case of their own.
    decomposed = unicodedata.normalize("NFKD", text).casefold()
    return _MAY_COMBINE.sub(_drop_combining, decomposed)


_MAY_COMBINE = re.compile("[\u0300-\U0010ffff]+")
"""No character before U+0300 combines: of a text in Latin letters few have to be looked at one by one."""
_VOICING = "\u3099\u309a"
"""Marks that make another syllable of a kana."""


def _drop_combining(found: re.Match[str]) -> str:
    kept = "".join(c for c in found.group() if c in _VOICING or not unicodedata.combining(c))
    # syllables of Hangul, and kana with their marks, are put together again
    return unicodedata.normalize("NFC", kept)


def may_name(name: str, asked: str) -> bool:
    """Whether ``asked`` may name who is called ``name``: one has all words of the other ("Tyler Cowen")."""
    words, wanted = (
        {word.replace("’", "'").removesuffix("'s") for word in WORD.findall(fold_words(text))} for text in (name, asked)
    )
    return bool(words) and bool(wanted) and (wanted <= words or words <= wanted)


@remember_texts(2_000)
def content_terms(text: str, language: str) -> tuple[str, ...]:
    """Stems of the words of ``text`` that are not stop words of ``language``, in order, repeats included."""
    if language != ENGLISH:
        return tuple(stem_word(word, language) for word in list_words(text, language))
    words = (word.replace("’", "'") for word in WORD.findall(fold_words(text)))
    return tuple(stem_word(unit, ENGLISH) for word in words if word not in STOP_WORDS for unit in split_units(word))


def list_words(text: str, language: str) -> list[str]:
    """The words of ``text`` that are no stop words of another language than English, in small letters, their accents kept.

    What a vowel cut short before an apostrophe is no part of the word: *l'huile*, *dell'acqua*. Of scripts without spaces each pair of
    characters between words of grammar is one.
    """
    stop_words = load_stop_words(language)
    found = (_ELISION.sub("", word) for word in WORD.findall(unicodedata.normalize("NFC", text).casefold()))
    return [unit for word in found if word not in stop_words for unit in split_units(word)]


_ELISION = re.compile(r"^(?:[cdjlmnst]|qu|jusqu|lorsqu|puisqu|(?:d|n|s)?[ae]ll|un|quest|quell)['’](?=\w\w)")


@cache
def load_stop_words(language: str) -> frozenset[str]:
    """The stop words of a language; none of one that the rules have no lists of."""
    if language == ENGLISH:
        return STOP_WORDS
    if language in GRAMMATICAL:
        return frozenset(load_grammar(language))
    return load_word_set("words", "stop_words", language) if language in KNOWN else frozenset()


def is_stop_word(word: str, language: str) -> bool:
    """Whether ``word`` says nothing of what a text in ``language`` is about."""
    return (fold_words(word).replace("’", "'") if language == ENGLISH else word.casefold()) in load_stop_words(language)


@lru_cache(maxsize=50_000)
def stem_word(word: str, language: str) -> str:
    """The stem of one word, folded, in ``language``; the folded word itself in one without a stemmer. In English a possessive ``'s``
    is dropped first.
    """
    algorithm = STEMMERS.get(language)
    if algorithm is None:
        return fold_words(word)
    with _STEMMING:
        if language == ENGLISH:
            return cast(str, _load_stemmer(algorithm).stemWord(word.removesuffix("'s")))
        return fold_words(cast(str, _load_stemmer(algorithm).stemWord(word)))


STEMMERS = {
    "ar": "arabic",
    "da": "danish",
    "de": "german",
    "el": "greek",
    "en": "english",
    "es": "spanish",
    "fi": "finnish",
    "fr": "french",
    "hu": "hungarian",
    "it": "italian",
    "nl": "dutch",
    "no": "norwegian",
    "pt": "portuguese",
    "ro": "romanian",
    "ru": "russian",
    "sv": "swedish",
    "tr": "turkish",
}
"""Snowball's algorithms by language."""
_LETTERS = re.compile(r"[^\W_]+")


def stem_text(text: str, language: str | None) -> str:
    """``text`` with each word as its stem in ``language``, what stands between them kept; English, and what has no stemmer, as it is.

    The form in which an index and a question meet: the index applies its own English analysis to it.
    """
    if language is None or language == ENGLISH or language not in STEMMERS:
        return text
    lowered = unicodedata.normalize("NFC", text).casefold()
    return _LETTERS.sub(lambda found: stem_word(found.group(), language), lowered)


def word_informativeness(term: str, language: str) -> float:
    """How much a stem of ``language`` tells, 0..1: near 0 for the commonest words, 1 for rare ones, numbers and names.

    ``log(1 + rank) / log(1 + ranks known)`` of its rank in everyday English, the logarithmic form of Zipf's law; 1 in other
    languages.
    """
    ranks = _common_ranks()
    if language != ENGLISH or term not in ranks:
        return 1.0
    return math.log1p(ranks[term]) / math.log1p(len(ranks))


@cache
def _common_ranks() -> dict[str, int]:
    return {term: rank for rank, term in enumerate(load_words("common_stems", "common_stems"))}


@cache
def _load_stemmer(algorithm: str) -> Any:
    return cast(Any, snowballstemmer).stemmer(algorithm)


_FOREIGN = 0.12
"""Share of words of another language's grammar from which a text is in it: running text has 0.25 to 0.5 of them, English
text, code and tables under 0.05."""


@remember_texts(1_000)
def is_foreign(text: str) -> bool:
    """Whether ``text`` is plainly not in English: by its letters, or by words of grammar of six other languages.

    Code, tables, names and single words are not foreign.
    """
    others = [] if text.isascii() else [c for c in text if c > _LAST_LATIN and c.isalpha()]
    if others and len(others) > _OTHER_LETTERS * sum(map(str.isalpha, text)):
        return True
    words = [match.group().casefold() for match in WORD.finditer(text)]
    if not words:
        return False
    english = sum(word in STOP_WORDS for word in words)
    most = max(sum(word in own for word in words) for own in _words_of_other_grammars())
    return most >= _FOREIGN * len(words) and most > english


_LAST_LATIN, _OTHER_LETTERS = "\u024f", 0.2
"""The last letter of the Latin alphabets in Unicode, and the share of others from which a text is not written in them."""


@cache
def _words_of_other_grammars() -> tuple[frozenset[str], ...]:
    topic = "function_words"
    return tuple(load_word_set(topic, name, "mul") - STOP_WORDS for name in list_names(topic, "mul"))
