"""What a text says in other words: ``140k`` is ``140,000``, the UK the United Kingdom, the biggest the largest, RFCs are of each RFC.

For the question whether a word stands somewhere. Only what means the same wherever it stands is here, so that nothing is
found that is not there; words of like meaning are another matter (``models.entail.alignment``).
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache

from ascertain.language.languages import ENGLISH, KNOWN
from ascertain.language.numbers import SMALL, Kind, find_quantities
from ascertain.language.remembering import remember_texts
from ascertain.language.tokens import STOP_WORDS, WORD, content_terms, fold_words, is_stop_word, stem_word
from ascertain.language.word_lists import load_pairs, load_phrases, load_word_set

WORDS_OF_ASKING = (
    load_word_set("asking", "asking")
    | load_word_set("asking", "keywords")
    | load_word_set("asking", "passages")
    | load_word_set("asking", "news")
    | load_word_set("asked_facts", "light")
    | load_word_set("asked_facts", "degrees")
)
"""Words that a question is asked with. That a source does not hold one of them says nothing of the source."""

_ENDING = re.compile(r"(?<=\w{4})[sz](?=(?:e|es|ed|ing|er|ers|ation|ations)$)")
"""Of -ise and -ize."""
_ACRONYM = re.compile(r"\b([A-Z][A-Z0-9]{2,}|[B-DF-HJ-NP-TV-Z]{2})(s?)\b")
"""Of whose plural a stemmer keeps the ``s``, for there is no vowel before it: RFC and RFCs, GPU and GPUs. Two letters with a vowel are not
taken, whose plural is a word: BU and bus.
"""
_THOUSAND, _MILLION, _BILLION = 1e3, 1e6, 1e9


def is_telling(word: str, language: str) -> bool:
    """Whether a word of a question in ``language`` says what it is about: one of neither grammar nor asking."""
    if language != ENGLISH:
        return not is_stop_word(word, language) and word.casefold() not in load_asked_with(language)
    folded = fold_words(word).replace("’", "'")
    return folded not in STOP_WORDS and folded not in WORDS_OF_ASKING


def load_asked_with(language: str) -> frozenset[str]:
    """Words of measure and verbs that questions are asked with in a language beside English; none where there are no lists of it."""
    return load_word_set("words", "asked_with", language) if language in KNOWN else frozenset()


@remember_texts(1_000)
def equivalent_words(text: str) -> frozenset[str]:
    """Folded words, not in ``text``, of what it says in English in other spellings; those of a figure or a name only together."""
    folded = fold_words(text)
    words = [match.group() for match in WORD.finditer(folded)]
    groups = _load_groups()
    found = {other for word in words for other in groups.get(stem_word(word, ENGLISH), ())}
    found.update(
        _ENDING.sub("z" if match.group() == "s" else "s", word) for word in words if (match := _ENDING.search(word))
    )
    found.update(word for name in _find_other_names(words) for word in name.split())
    found.update(fold_words(match[1] if match[2] else f"{match[1]}s") for match in _ACRONYM.finditer(text))
    found.update(match.group() for spelled in _spell_figures(text) for match in WORD.finditer(spelled))
    return frozenset(found.difference(words))


@remember_texts(1_000)
def held_terms(text: str, language: str) -> frozenset[str]:
    """The content terms of ``text`` and of what it says in other spellings; in another language than English the terms alone."""
    terms = frozenset(content_terms(text, language))
    return terms if language != ENGLISH else terms | frozenset(content_terms(" ".join(equivalent_words(text)), ENGLISH))


def _spell_figures(text: str) -> Iterator[str]:
    for quantity in find_quantities(text):
        value = quantity.value
        if quantity.kind in (Kind.MONTH, Kind.ORDINAL):
            continue
        if value < len(SMALL):
            yield f"{value:g}"
            if value == int(value):
                yield SMALL[int(value)]
        for scale, short, long in (
            (_THOUSAND, "k", "thousand"),
            (_MILLION, "m", "million"),
            (_BILLION, "bn", "billion"),
        ):
            if scale <= value < 1e3 * scale:
                yield from (f"{value:.0f}", f"{value:,.0f}", f"{value / scale:g}{short}", f"{value / scale:g} {long}")


def _find_other_names(words: list[str]) -> Iterator[str]:
    """The full names of the short ones among ``words``, and the reverse."""
    text = f" {' '.join(words)} "
    for short, full in _load_names().items():
        if f" {full} " in text:
            yield short
        elif f" {short} " in text:
            yield full


@cache
def _load_groups() -> Mapping[str, frozenset[str]]:
    """Each group of words under the stem of each of them: ``licensed`` is of the group of ``licence``."""
    groups: dict[str, frozenset[str]] = {}
    for name in ("spellings", "superlatives"):
        for group in map(str.split, load_phrases("same_words", name)):
            for word in group:
                stem = stem_word(word, ENGLISH)
                groups[stem] = groups.get(stem, frozenset()) | frozenset(group)
    return groups


@cache
def _load_names() -> Mapping[str, str]:
    """Full names by short ones, both folded; ``us`` is a word, so it stands for no country here."""
    pairs = {fold_words(short): full for short, full in load_pairs("places", "abbreviations").items()}
    pairs |= load_pairs("same_words", "short_names")
    return {_space_words(short): full for short, full in pairs.items() if short not in STOP_WORDS}


def _space_words(text: str) -> str:
    return " ".join(WORD.findall(text))


def find_absent(words: Iterable[str], texts: Iterable[str], language: str) -> tuple[str, ...]:
    """Those of ``words`` that tell something and stand in none of ``texts``, in no spelling."""
    read = frozenset[str]().union(*(held_terms(text, language) for text in texts))
    return tuple(
        word
        for word in dict.fromkeys(words)
        if is_telling(word, language) and not read.issuperset(content_terms(word, language))
    )
