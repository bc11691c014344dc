"""The kind of answer a question asks for, and whether a sentence offers one.

A small table of patterns over question words, after the answer types of Li & Roth, "Learning Question Classifiers", COLING
2002. It only nudges a ranking, so a miss costs little.
"""

from __future__ import annotations

import re
from collections.abc import Set
from enum import StrEnum
from functools import partial

from ascertain.language.tokens import content_terms
from ascertain.language.word_lists import load_alternatives, load_words


class AnswerKind(StrEnum):
    """What would answer the question."""

    NAME = "name"
    """A person or an organisation."""
    PLACE = "place"
    TIME = "time"
    MONEY = "money"
    SHARE = "share"
    """A percentage or a fraction."""
    NUMBER = "number"
    REASON = "reason"
    DEFINITION = "definition"
    ANY = "any"


FACTS = frozenset({AnswerKind.TIME, AnswerKind.MONEY, AnswerKind.SHARE, AnswerKind.NUMBER})
"""Kinds that a sentence plainly offers or does not."""


_any_of = partial(load_alternatives, "answer_kinds")
"""A list of words as alternatives of a regular expression."""
_MONTH = "|".join(
    f"(?-i:{month.title()})" if month in {"march", "may"} else month
    for month in load_words("months_and_days", "months")
)
"""March and May are words too where they are written small."""
_WEEKDAY = load_alternatives("months_and_days", "weekdays")
_UNITS = "|".join(
    (*load_words("quantities", "small")[1:], *load_words("quantities", "tens"), _any_of("number_words"))
)
_IS = "(?:is|was|were|are)"

_QUESTIONS: tuple[tuple[AnswerKind, re.Pattern[str]], ...] = tuple(
    (kind, re.compile(pattern, re.I))
    for kind, pattern in (
        (AnswerKind.SHARE, rf"\bpercent(?:age)?\b|\bwhat (?:{_any_of('asks_share')})\b|%"),
        (
            AnswerKind.MONEY,
            rf"\bhow much (?:{_any_of('asks_money_auxiliaries')}|is \w+ worth)\b.*\b(?:{_any_of('asks_money_verbs')})"
            rf"|\b(?:{_any_of('asks_money_nouns')})\b.*\bhow much\b"
            rf"|\bwhat {_IS} the (?:\w+ )?(?:{_any_of('asks_money_nouns')})|\bhow (?:expensive|cheap)\b",
        ),
        (
            AnswerKind.TIME,
            rf"\bwhen\b(?! (?:{_any_of('when_of_condition')})\b)"
            rf"|\b(?:what|which|whose) (?:exact )?(?:{_any_of('asks_time_nouns')})\b|\bhow (?:long|old|often|soon)\b"
            r"|\bwhat (?:is|was) the (?:\w+ )?(?:date|year)\b|^when\b",
        ),
        (
            AnswerKind.NUMBER,
            rf"\bhow (?:{_any_of('asks_number_measures')}|frequent\w*)\b"
            rf"|\bwhat {_IS} the (?:\w+ ){{0,2}}(?:{_any_of('asks_number_nouns')})\b|\bwhat (?:number|age|size|rank)\b",
        ),
        (AnswerKind.PLACE, rf"\bwhere\b|\b(?:what|which) (?:{_any_of('asks_place')})\b"),
        (
            AnswerKind.NAME,
            rf"\bwho(?:m|se)?\b|\b(?:what|which) (?:\w+ )?(?:{_any_of('asks_name')})\b"
            rf"|\bwhat {_IS} the names?\b|\bwho's\b",
        ),
        (AnswerKind.REASON, rf"\bwhy\b|\bhow come\b|\bwhat (?:{_any_of('asks_reason')})\b"),
        (
            AnswerKind.DEFINITION,
            r"^\W*(?:what(?:'s| is| are| was)|define)\b(?: (?:a|an|the))?(?: [\w-]+){1,3}\W*$|\bmean(?:ing|s)?\b|\bdefin",
        ),
    )
)

_OFFERS: dict[AnswerKind, re.Pattern[str]] = {
    kind: re.compile(pattern, re.I)
    for kind, pattern in (
        (
            AnswerKind.SHARE,
            rf"\d\s?(?:%|per ?cent\b|percent)|\b(?:{_UNITS})[ -](?:percent|per cent|thirds?|quarters?|fifths?|tenths?)\b"
            r"|\bhalf\b|\d/\d|\bmajority\b|\bmost\b",
        ),
        (
            AnswerKind.MONEY,
            rf"[$€£¥₹]\s?\d|\d[\d,.]*\s?(?:(?:million|billion|thousand)\s)?(?:{_any_of('currencies')})\b|\bfree\b",
        ),
        (
            AnswerKind.TIME,
            rf"\b(?:1\d|20)\d\ds?\b|\b\d{{1,4}} ?(?:bc|ad|bce|ce)\b|\b(?:{_MONTH})\b|\bcentur(?:y|ies)\b|\b\d{{1,2}}:\d\d\b"
            rf"|\b(?:\d[\d,.]*|{_UNITS}|several|few)[ -](?:\w+ )?(?:{_any_of('spans_of_time')})s?\b"
            rf"|\b(?:{_WEEKDAY})\b|\b(?:{_any_of('times')})\b",
        ),
        (AnswerKind.NUMBER, rf"\d|\b(?:{_UNITS})\b"),
        (
            AnswerKind.REASON,
            rf"\b(?:{_any_of('reasons')}|result(?:s|ed)? (?:in|from)|caus\w+|to (?:{_any_of('purposes')}))\b",
        ),
        (AnswerKind.DEFINITION, rf"\b(?:{_any_of('definitions')})\b"),
    )
}

_CAPITALISED = re.compile(r"\b[A-Z][\w'’-]+(?:\.[A-Z]\.)?")
_PLACE_LEAD = re.compile(rf"\b(?:{_any_of('before_place')}) (?:the )?[A-Z][\w'’-]+")


def expected_kind(question: str) -> AnswerKind:
    """The kind of answer ``question`` asks for; ANY when no pattern says."""
    for kind, pattern in _QUESTIONS:
        if pattern.search(question):
            return kind
    return AnswerKind.ANY


def offers(kind: AnswerKind, sentence: str, known: Set[str]) -> bool:
    """Whether ``sentence`` holds something of that kind that is not among the question's terms ``known``.

    Always true for ANY.
    """
    if kind is AnswerKind.ANY:
        return True
    if kind in (AnswerKind.NAME, AnswerKind.PLACE):
        names = (_PLACE_LEAD if kind is AnswerKind.PLACE else _CAPITALISED).finditer(sentence)
        return any(_is_news(match.group(), known) for match in names if match.start() > 0)
    pattern = _OFFERS[kind]
    if kind in (AnswerKind.REASON, AnswerKind.DEFINITION):
        return pattern.search(sentence) is not None
    return any(_is_news(match.group(), known, numeric=True) for match in pattern.finditer(sentence))


def _is_news(found: str, known: Set[str], numeric: bool = False) -> bool:
    terms = content_terms(found)
    return any(term not in known for term in terms) or (numeric and not terms)
