"""The language of a question, and what the rules know of it; and the language that a text is in.

The rules were written for English. Six more languages have word lists of their own in ``data/<code>``; others are searched with their
stems, where Snowball has any, or with pairs of characters. Stop words, stems, kinds of answer and the product's own sentences are those
of the ``language`` that each function is given, an ISO 639-1 code: the question's.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from functools import cache, lru_cache
from typing import Any, cast

from ascertain.language.word_lists import load_pairs, load_phrases, load_word_set

ENGLISH = "en"
KNOWN = ("de", "fr", "es", "it", "pt", "nl")
"""Languages beside English with word lists of their own."""
NAMES = load_pairs("language_names", "names", "mul")
"""English names by code."""


def known_language(code: str | None) -> str:
    """``code`` where the rules have lists of that language, English otherwise."""
    return code if code in KNOWN else ENGLISH


def say_sentence(english: str, language: str, /, **fields: object) -> str:
    """One of the product's own sentences in ``language``, its ``{fields}`` filled in; in English where there is no other."""
    said = _load_said(language).get(english, english) if language in KNOWN else english
    return said.format(**fields) if fields else said


@cache
def _load_said(language: str) -> Mapping[str, str]:
    return load_pairs("said", "said", language)


_SCRIPTS: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (code, re.compile(f"[{letters}]"))
    for code, letters in (
        ("ja", "\u3040-\u30ff"),
        ("ko", "\u1100-\u11ff\uac00-\ud7af"),
        ("zh", "\u3400-\u4dbf\u4e00-\u9fff"),
        ("th", "\u0e00-\u0e7f"),
        ("ru", "\u0400-\u04ff"),
        ("el", "\u0370-\u03ff\u1f00-\u1fff"),
        ("ar", "\u0600-\u06ff"),
        ("he", "\u0590-\u05ff"),
        ("hi", "\u0900-\u097f"),
    )
)
"""Of a script that several languages are written in, the one with most readers; Japanese before Chinese, whose signs it borrows."""
_OTHER_LETTERS = 0.2
"""Share of the letters from which a question is written in another script (as ``tokens.is_foreign``)."""
_WORD = re.compile(r"[^\W\d_]+")
_CODE = re.compile(r"(?<!\S)(?:[^\s\d]*\d\S*|\S+[._/@]\S+)")
"""What is in no language: ``AS-206``, ``docker-compose.yml``."""
_ENGLISH_ASKING = load_word_set("nested_questions", "question_words")
"""No other language here has any of them."""
_FEWEST_WORDS, _LEAST_SHARE = 2, 0.25
"""Words of grammar that a question without a word of asking needs, and their share of all: "Los Angeles population" has one."""


@lru_cache(maxsize=1_000)
def detect_question_language(question: str) -> str | None:
    """The language of a question by its letters, and by words of grammar and asking; None where these do not say.

    A question is too short for what tells the language of a document: of "Wie hoch ist der Zaun?" only the little words do. A word
    that several languages have counts for each by its share, and English wins a tie.
    """
    letters = [character for character in question if character.isalpha()]
    for code, script in _SCRIPTS:
        if len(script.findall(question)) > _OTHER_LETTERS * len(letters) > 0:
            return code
    greeting = " ".join(_WORD.findall(question.casefold()))
    for code in KNOWN:
        if greeting in load_phrases("greetings", code, "mul") and greeting not in load_phrases(
            "greetings", ENGLISH, "mul"
        ):
            return code
    words = list(dict.fromkeys(word.casefold() for word in _WORD.findall(_CODE.sub(" ", question))))
    owners = _load_owners()
    scores: Counter[str] = Counter()
    for word in words:
        for code in owners.get(word, ()):
            scores[code] += 1 / len(owners[word])  # pyright: ignore[reportArgumentType]  a counter of shares
    scores["es"] += 2 * ("¿" in question or "¡" in question)
    best = max((ENGLISH, *KNOWN), key=lambda code: scores[code])
    if best == ENGLISH:
        return ENGLISH if scores[ENGLISH] else None
    own = [word for word in words if best in owners.get(word, ())]
    asking = load_word_set("questions", "asking", best)
    # "Welchen Desktop verwendet Knoppix standardmäßig?" has no other little word
    if (best == "es" and "¿" in question) or not asking.isdisjoint(words[:1]):
        return best
    asks = not asking.isdisjoint(words)
    # "Who was Wolfgang von der Schulenburg?": the little words of a name
    is_asked_in_english = not asks and not _ENGLISH_ASKING.isdisjoint(words)
    if is_asked_in_english or len(own) < _FEWEST_WORDS - asks or len(own) < _LEAST_SHARE * len(words):
        return ENGLISH if scores[ENGLISH] else None
    return best


def question_language(question: str) -> str:
    """The language that a question is worked on in: English where nothing says another."""
    return detect_question_language(question) or ENGLISH


@cache
def _load_owners() -> Mapping[str, tuple[str, ...]]:
    """The languages that each word of grammar, or of those that questions are asked with, is one of."""
    owners: dict[str, tuple[str, ...]] = {}
    for code in (ENGLISH, *KNOWN):
        topic = "stop_words" if code == ENGLISH else "words"
        asked_with = frozenset[str]() if code == ENGLISH else load_word_set(topic, "asked_with", code)
        for word in load_word_set(topic, "stop_words", code) | asked_with:
            owners[word] = (*owners.get(word, ()), code)
    return owners


_SAMPLE = 1000
_MIN_LETTERS = 20
_MIN_PROBABILITY = 0.6
"""py3langid gives under 0.1 on code and tickers, 0.75 and more on a sentence of a language it knows."""


def detect_language(text: str) -> str | None:
    """ISO 639-1 code of a sample from the middle of ``text``; None when it is short or the guess is weak."""
    start = max(0, len(text) // 2 - _SAMPLE // 2)
    sample = text[start : start + _SAMPLE]
    if sum(character.isalpha() for character in sample) < _MIN_LETTERS:
        return None
    code, probability = cast("tuple[str, float]", _load_identifier().classify(sample))
    return code if probability >= _MIN_PROBABILITY and len(code) == 2 else None


@cache
def _load_identifier() -> Any:
    # Loading takes most of a second, so it waits for the first text.
    from py3langid import langid  # noqa: PLC0415  # pyright: ignore[reportMissingTypeStubs]

    return cast("Any", langid).LanguageIdentifier.from_model_file(cast("Any", langid).MODEL_FILE, norm_probs=True)
