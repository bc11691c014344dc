"""Whether a sentence holds the fact that was asked for."""

from __future__ import annotations

import re
from collections.abc import Set

from ascertain.answering.matching.kinds import CAPITALISED, is_news, offers_kind
from ascertain.language.languages import ENGLISH
from ascertain.language.tokens import WORD, content_terms
from ascertain.questions.reading.facts import KINDS, AskedFact, any_asked
from ascertain.questions.reading.kinds import MONTH, UNITS, AnswerKind, any_of

_NUMBER = re.compile(rf"(?<![\w.])\d[\d,.]{{0,30}}\w{{0,2}}\b|\b(?:{UNITS})\b", re.I)
_DATED = re.compile(
    rf"\b(?:{MONTH})\.? \d{{1,2}}(?:,? \d{{4}})?|\b\d{{1,2}} (?:{MONTH})(?: \d{{4}})?|\b\d{{4}}-\d\d-\d\d"
    r"|\b(?:1[5-9]|20)\d\d\b(?!\.\d| [a-z]+s\b)|\[\d+\]|\bone (?:of|can|could|is|has|that|who|in|with|another|day)\b",
    re.I,
)
"""Figures that count nothing: dates, years, notes, "one of"."""
_MONEY_OR_SHARE = re.compile(
    rf"[$€£¥₹]\s?\d|\d[\d,.]{{0,30}}\s?(?:(?:million|billion|thousand|k|m|bn)\s)?(?:{any_of('currencies')})\b|\bfree\b"
    r"|\d\s?(?:%|percent|per cent)",
    re.I,
)
_SUM_OR_SHARE = re.compile(
    rf"[$€£¥₹]\s?\d[\d,.]*(?:\s?(?:million|billion|trillion|thousand|k|m|bn)\b)?|\d[\d,.]{{0,30}}\s?(?:%|percent\b|per cent\b)"
    rf"|\d[\d,.]{{0,30}}\s(?:(?:million|billion|trillion|thousand)\s)?(?:{any_of('currencies')})\b",
    re.I,
)
_LASTING = re.compile(
    rf"\b(?:\d[\d,.]{{0,30}}|{UNITS}|several|few|an?|a couple of)[ -]?(?:\w+ )?(?:{any_of('spans_of_time')})s?\b"
    rf"|\b(?:1\d|20)\d\ds?\b|\b\d+ to \d+\b|\bage\w* (?:of )?\d+"
    rf"|\b(?:{any_asked('lasting')})\b",
    re.I,
)
_LOOSE_REASON = re.compile(rf"\b(?:{any_asked('reasons')})\b", re.I)
_CODE = re.compile(r"\w\(|[\w)]=[\w\"']|\b\w+_\w+|`|@\w|(?:^|\s)--?[a-z]|\w{2}\.[a-z]{2,}\b|\w/\w")
_ORDER = re.compile(
    rf"(?:^|[.:;,!(]\s*|\b(?:{any_asked('before_orders')}) (?:\w+ )?)(?:{any_asked('orders')})\w*\b", re.I
)
_ACTING = re.compile(rf"\b(?:{any_asked('acting')})\b", re.I)
_SOMEWHERE = re.compile(r"\b(?:in|at|on|near|from|under|to) the \w+")
_TELLING = re.compile(rf"\b(?:{any_asked('telling')})\b", re.I)
_NAMING = re.compile(rf"\b(?:{any_asked('naming')})\b|, (?:which is|its|an?|the) ", re.I)


def offers_fact(fact: AskedFact, sentence: str, known: Set[str], language: str) -> bool:
    """Whether ``sentence`` holds a fact of that kind which is not among the terms ``known`` of the question, which is in ``language``;
    always true for ``OPEN_FACTS``.
    """
    if language != ENGLISH:
        kinds = KINDS.get(fact, ())
        return not kinds or any(offers_kind(kind, sentence, known, language) for kind in kinds)
    match fact:
        case AskedFact.PERSON:
            return _offers_name(sentence, known, language) or _ACTING.search(sentence) is not None
        case AskedFact.PLACE:
            return _offers_name(sentence, known, language) or _SOMEWHERE.search(sentence) is not None
        case AskedFact.DATE:
            is_quarter = re.search(r"\bQ[1-4]\b", sentence) is not None
            return is_quarter or offers_kind(AnswerKind.TIME, sentence, known, language)
        case AskedFact.DURATION:
            return _offers_news(_LASTING, sentence, known, language)
        case AskedFact.MONEY:
            return _offers_news(_MONEY_OR_SHARE, sentence, known, language)
        case AskedFact.NUMBER:
            return _offers_news(_NUMBER, _DATED.sub(" ", sentence), known, language)
        case AskedFact.COUNT:
            return _offers_news(_NUMBER, _SUM_OR_SHARE.sub(" ", _DATED.sub(" ", sentence)), known, language)
        case AskedFact.REASON:
            return (
                offers_kind(AnswerKind.REASON, sentence, known, language) or _LOOSE_REASON.search(sentence) is not None
            )
        case AskedFact.STEPS:
            return _CODE.search(sentence) is not None or _ORDER.search(sentence) is not None
        case AskedFact.DEFINITION:
            return _NAMING.search(sentence) is not None or _tells_of(sentence, known, language)
        case _:
            return True


def _offers_news(pattern: re.Pattern[str], sentence: str, known: Set[str], language: str) -> bool:
    return any(is_news(match.group(), known, language, numeric=True) for match in pattern.finditer(sentence))


def _offers_name(sentence: str, known: Set[str], language: str) -> bool:
    opens = re.match(r"[A-Z]\w+ (?:[A-Z]|\w+(?:ed|s)\b)", sentence) is not None
    names = CAPITALISED.finditer(sentence)
    return any(is_news(match.group(), known, language) for match in names if match.start() > 0 or opens)


_SOON = 3
"""Words after the thing within which a sentence says what it is: "A processor in structlog is"."""
_LATE = 8
"""Words after which a sentence speaks of the thing, but does not define it."""


def _tells_of(sentence: str, known: Set[str], language: str) -> bool:
    """Whether one of the terms ``known`` stands at the head of ``sentence``, and a verb that tells of it soon after."""
    words = WORD.findall(sentence)
    for at, word in enumerate(words[:_LATE]):
        if known & set(content_terms(word, language)) and any(
            _TELLING.fullmatch(x) for x in words[at + 1 : at + 1 + _SOON]
        ):
            return True
    return False
