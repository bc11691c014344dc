"""Whether a sentence offers what a question asks for."""

from __future__ import annotations

import re
from collections.abc import Mapping, Set
from functools import cache

from ascertain.language.languages import ENGLISH
from ascertain.language.tokens import STOP_WORDS, WORD, content_terms, fold_words, stem_word
from ascertain.language.word_lists import load_alternatives, load_word_set
from ascertain.questions.reading.kinds import BEING, MONTH, UNITS, WEEKDAY, AnswerKind, any_of
from ascertain.questions.reading.question import YEAR

_OFFERS: dict[AnswerKind, re.Pattern[str]] = {
    kind: re.compile(pattern, re.I)
    for kind, pattern in (
        (
            AnswerKind.SHARE,
            rf"\d\s?(?:%|per ?cent\b|percent)|\b(?:{UNITS})[ -](?:percent|per cent|thirds?|quarters?|fifths?|tenths?)\b"
            r"|\bhalf\b|\d/\d|\bmajority\b|\bmost\b",
        ),
        (
            AnswerKind.MONEY,
            rf"[$€£¥₹]\s?\d|\d[\d,.]{{0,30}}\s?(?:(?:million|billion|thousand)\s)?(?:{any_of('currencies')})\b|\bfree\b",
        ),
        (
            AnswerKind.TIME,
            rf"\b(?:1\d|20)\d\ds?\b|\b\d{{1,4}} ?(?:bc|ad|bce|ce)\b|\b(?:{MONTH})\b|\bcentur(?:y|ies)\b|\b\d{{1,2}}:\d\d\b"
            rf"|\b(?:\d[\d,.]{{0,30}}|{UNITS}|several|few)[ -](?:\w+ )?(?:{any_of('spans_of_time')})s?\b"
            rf"|\b(?:{WEEKDAY})\b|\b(?:{any_of('times')})\b",
        ),
        (AnswerKind.NUMBER, rf"\d|\b(?:{UNITS})\b"),
        (
            AnswerKind.REASON,
            rf"\b(?:{any_of('reasons')}|result(?:s|ed)? (?:in|from)|caus\w+|to (?:{any_of('purposes')}))\b",
        ),
        (AnswerKind.DEFINITION, rf"\b(?:{any_of('definitions')})\b"),
    )
}
CAPITALISED = re.compile(r"\b[A-Z][\w'’-]+(?:\.[A-Z]\.)?")
_PLACE_LEAD = re.compile(rf"\b(?:{any_of('before_place')}) (?:the )?[A-Z][\w'’-]+")


def offers_kind(kind: AnswerKind, sentence: str, known: Set[str], language: str) -> bool:
    """Whether ``sentence`` holds something of that kind that is not among the question's terms ``known``, which is in ``language``.

    Always true for ANY.
    """
    if kind is AnswerKind.ANY:
        return True
    if language != ENGLISH:
        return _offers_kind_in(language, kind, sentence, known)
    if kind in (AnswerKind.NAME, AnswerKind.PLACE):
        names = (_PLACE_LEAD if kind is AnswerKind.PLACE else CAPITALISED).finditer(sentence)
        return any(is_news(match.group(), known, language) for match in names if match.start() > 0)
    pattern = _OFFERS[kind]
    if kind in (AnswerKind.REASON, AnswerKind.DEFINITION):
        return pattern.search(sentence) is not None
    return any(is_news(match.group(), known, language, numeric=True) for match in pattern.finditer(sentence))


@cache
def _compile_offers(language: str) -> Mapping[AnswerKind, re.Pattern[str]]:
    def list_any(name: str) -> str:
        return f"(?:{load_alternatives('words', name, language)})"

    figure = rf"(?:\d[\d.,]{{0,30}}|{list_any('numbers')})"
    patterns = {
        AnswerKind.SHARE: rf"\d\s?%|\b{list_any('shares')}\b|\d/\d",
        AnswerKind.MONEY: rf"[$€£¥₹]\s?\d|\d[\d.,]{{0,30}}\s?(?:[$€£¥₹]|{list_any('money')})|\b{list_any('money')}\b",
        AnswerKind.TIME: rf"\b(?:1\d|20)\d\d\b|\b{list_any('months')}\b|\b{list_any('weekdays')}\b|\b\d{{1,2}}[:.]\d\d\b"
        rf"|\b{figure}(?: \w+)? {list_any('spans_of_time')}\b|\b{list_any('times')}\b",
        AnswerKind.NUMBER: rf"\d[\d.,]*|\b{list_any('numbers')}\b",
        AnswerKind.REASON: rf"\b{list_any('reasons')}\b",
    }
    return {kind: re.compile(pattern, re.I) for kind, pattern in patterns.items()}


@cache
def _compile_dates(language: str) -> re.Pattern[str]:
    """Figures that count nothing: days of a month, and years. A count like a year has a mark ("1.500"), or a unit or a noun in the plural
    behind it; in German, where plurals have no one ending, a unit.
    """
    month = load_alternatives("words", "months", language)
    noun = "" if language == "de" else r"|\w{3,}(?:s|i|en)"
    year = rf"\b(?:1[5-9]|20)\d\d\b(?![.,]\d| ?[%°$€£]| (?-i:[kMGm]?[WBmgVl]|Kilo\w*|Meter\w*{noun})\b)"
    return re.compile(rf"\b\d{{1,2}}\.? (?:de )?(?:{month})\b|{year}", re.I)


_GERMAN_NAME = re.compile(r"\b(?:Frau|Herrn?|Familie|Firma|Dr\.|Prof\.) [A-ZÄÖÜ]\w+|\b[A-ZÄÖÜ]\w+ [A-ZÄÖÜ]\w+")
"""German writes every noun with a capital: only what stands beside another one, or behind a title, is taken for a name."""


def _offers_kind_in(language: str, kind: AnswerKind, sentence: str, known: Set[str]) -> bool:
    """``offers_kind`` in another language than English; what the rules have no words for is taken as offered."""
    if kind in (AnswerKind.NAME, AnswerKind.PLACE):
        names = _GERMAN_NAME if language == "de" and kind is AnswerKind.NAME else CAPITALISED
        return any(is_news(match.group(), known, language) for match in names.finditer(sentence) if match.start() > 0)
    pattern = _compile_offers(language).get(kind)
    if kind is AnswerKind.NUMBER:
        sentence = _compile_dates(language).sub(" ", sentence)
    if pattern is None or kind is AnswerKind.REASON:
        return pattern is None or pattern.search(sentence) is not None
    return any(is_news(match.group(), known, language, numeric=True) for match in pattern.finditer(sentence))


def is_news(found: str, known: Set[str], language: str, *, numeric: bool = False) -> bool:
    """Whether a stretch of a sentence says something beyond the terms ``known``; with ``numeric`` also a bare figure."""
    terms = content_terms(found, language)
    return any(term not in known for term in terms) or (numeric and not terms)


_PIECE = re.compile(r"[^\W\d_]+|\d+")


def mentions_identifier(text: str, identifier: str) -> bool:
    """Whether ``text`` holds the code, in any case, with or without its separators (``GPT-4``, ``gpt4``), a version with its ``v`` too."""
    mark = "v?" if identifier[:1].isdigit() else ""
    spelled = r"[-_./\s]?".join(re.escape(piece) for piece in _PIECE.findall(identifier))
    return re.search(rf"(?<![^\W_]){mark}{spelled}(?![^\W_])", text, re.IGNORECASE) is not None


_TELLING = load_word_set("asked_facts", "telling")
_ARTICLES = frozenset({"a", "an", "the"})
_STARTERS = load_word_set("sentences", "starters")
_FEWEST_TOLD = 3
"""Words behind the verb from which a sentence says what something is, and not only how it is."""
_ASIDE = re.compile(r"(?:(?<!\s)\s+)?\([^()]*\)")


def tells_subject(subject: str, sentence: str, language: str) -> bool:
    """Whether ``sentence`` opens with ``subject`` and says what it is or does, as definitions and glossaries do."""
    wanted = [stem_word(word, language) for word in WORD.findall(fold_words(subject))]
    words = list(WORD.finditer(sentence))
    if words and words[0].group().lower() in _ARTICLES:
        del words[0]
    stems = [stem_word(fold_words(word.group()), language) for word in words]
    if wanted and stems[1:2] == wanted[:1] and _says_which_kind(words[0].group(), wanted[0], language):
        del words[0]
    opening, following = words[: len(wanted)], words[len(wanted) :]
    if not wanted or [stem_word(fold_words(word.group()), language) for word in opening] != wanted or not following:
        return False
    rest = _ASIDE.sub("", sentence[opening[-1].end() :], count=1).strip()
    told = WORD.findall(rest)
    if not told or len(told) < _FEWEST_TOLD:
        return False
    if rest[0] in ":–—" or rest.startswith("- "):
        return True
    verb = told[0].lower()
    if told[0][0].isupper():
        return verb in _STARTERS
    return verb in _TELLING and (verb not in BEING or len(told) > _FEWEST_TOLD)


def _says_which_kind(word: str, subject: str, language: str) -> bool:
    """Whether ``word`` before another says which kind is meant: a "log processor" is a processor, "the processor" is it."""
    return word.islower() and word not in STOP_WORDS and stem_word(word, language) != subject


def is_of_other_year(years: Set[str], title: str) -> bool:
    """Whether ``title`` names a year that is not among those of the question: ``1997 Madrid summit`` for the summit of 2022."""
    return bool(set(YEAR.findall(title)) - years)
