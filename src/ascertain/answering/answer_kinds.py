"""The kind of answer a question asks for, and whether a sentence offers one.

A small table of patterns over question words, after the answer types of Li & Roth, "Learning Question Classifiers", COLING
2002. It only nudges a ranking, so a miss costs little.
"""

from __future__ import annotations

import re
from collections.abc import Set
from enum import StrEnum

from ascertain.language.tokens import content_terms


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


_MONTH = r"(?:jan|febr)uary|(?-i:March)|april|(?-i:May)|june|july|august|(?:sept|nov|dec)ember|october"
_UNITS = (
    r"one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|(?:thir|four|fif|six|seven|eigh|nine)teen"
    r"|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|hundreds?|thousands?|millions?|billions?|trillions?|dozens?"
    r"|half|third|quarter|twice|once|single|double|triple|both|none"
)

_QUESTIONS: tuple[tuple[AnswerKind, re.Pattern[str]], ...] = tuple(
    (kind, re.compile(pattern, re.I))
    for kind, pattern in (
        (AnswerKind.SHARE, r"\bpercent(?:age)?\b|\bwhat (?:share|fraction|proportion|portion|ratio)\b|%"),
        (
            AnswerKind.MONEY,
            r"\bhow much (?:money|does|did|do|will|would|was paid|is \w+ worth)\b.*\b(?:cost|pay|paid|spend|spent|worth|earn|raise"
            r"|charge|price)|\b(?:cost|price|salary|revenue|budget|fee)\b.*\bhow much\b|\bwhat (?:is|was|were|are) the (?:\w+ )?(?:cost"
            r"|price|salary|revenue|budget|fee)|\bhow (?:expensive|cheap)\b",
        ),
        (
            AnswerKind.TIME,
            r"\bwhen\b(?! (?:a|an|the|you|people|we|they|i|it|there)\b)|\b(?:what|which|whose) (?:exact )?(?:year|years|date|day|month"
            r"|decade|century|centuries|era|season|period|time)\b|\bhow (?:long|old|often|soon)\b|\bwhat (?:is|was) the (?:\w+ )?(?:date"
            r"|year)\b|^when\b",
        ),
        (
            AnswerKind.NUMBER,
            r"\bhow (?:many|much|far|tall|high|deep|big|large|fast|heavy|wide|hot|cold|strong|frequent\w*|likely)\b"
            r"|\bwhat (?:is|was|were|are) the (?:\w+ ){0,2}(?:number|population|size|height|length|depth|distance|speed|rate|temperature"
            r"|score|amount|total|average|area|capacity|weight|age|value|dimension)\b|\bwhat (?:number|age|size|rank)\b",
        ),
        (
            AnswerKind.PLACE,
            r"\bwhere\b|\b(?:what|which) (?:city|cities|country|countries|state|states|place|town|location|region|continent|area|county"
            r"|province|street|island|river|building|venue|stadium|nation)\b",
        ),
        (
            AnswerKind.NAME,
            r"\bwho(?:m|se)?\b|\b(?:what|which) (?:\w+ )?(?:person|man|woman|actor|actress|author|king|queen|president|scientist"
            r"|company|organi[sz]ation|team|player|singer|band|group|leader|artist|director|writer|university|party)\b"
            r"|\bwhat (?:is|was|were|are) the names?\b|\bwho's\b",
        ),
        (
            AnswerKind.REASON,
            r"\bwhy\b|\bhow come\b|\bwhat (?:caused?|causes|led|is the reason|was the reason|were the reasons)\b",
        ),
        (
            AnswerKind.DEFINITION,
            r"^\W*(?:what(?:'s| is| are| was)|define)\b(?: (?:a|an|the))?(?: [\w-]+){1,3}\W*$|\bmean(?:ing|s)?\b|\bdefin",
        ),
    )
)

_OFFERS: dict[AnswerKind, re.Pattern[str]] = {
    AnswerKind.SHARE: re.compile(
        rf"\d\s?(?:%|per ?cent\b|percent)|\b(?:{_UNITS})[ -](?:percent|per cent|thirds?|quarters?|fifths?|tenths?)\b|\bhalf\b|\d/\d|\bmajority\b|\bmost\b",
        re.I,
    ),
    AnswerKind.MONEY: re.compile(
        r"[$€£¥₹]\s?\d|\d[\d,.]*\s?(?:(?:million|billion|thousand)\s)?(?:dollars?|euros?|pounds?|usd|eur|gbp|yen|cents)\b|\bfree\b",
        re.I,
    ),
    AnswerKind.TIME: re.compile(
        rf"\b(?:1\d|20)\d\ds?\b|\b\d{{1,4}} ?(?:bc|ad|bce|ce)\b|\b(?:{_MONTH})\b|\bcentur(?:y|ies)\b|\b\d{{1,2}}:\d\d\b"
        rf"|\b(?:\d[\d,.]*|{_UNITS}|several|few)[ -](?:\w+ )?(?:second|minute|hour|day|week|month|year|decade|millennium)s?\b"
        r"|\b(?:mon|tues|wednes|thurs|fri|satur|sun)day\b|\b(?:daily|weekly|monthly|yearly|annually|today|yesterday|tomorrow)\b"
        r"|\b(?:spring|summer|autumn|winter)\b",
        re.I,
    ),
    AnswerKind.NUMBER: re.compile(rf"\d|\b(?:{_UNITS})\b", re.I),
    AnswerKind.REASON: re.compile(
        r"\b(?:because|since|due to|owing to|in order to|so that|as a result|result(?:s|ed)? (?:in|from)|caus\w+|reasons?|led to|leads? to"
        r"|therefore|thus|to (?:avoid|prevent|make|allow|help|keep|reduce|protect|ensure))\b",
        re.I,
    ),
    AnswerKind.DEFINITION: re.compile(
        r"\b(?:is|are|was|were|means?|refers? to|defined as|known as|called|stands? for)\b", re.I
    ),
}

_CAPITALISED = re.compile(r"\b[A-Z][\w'’-]+(?:\.[A-Z]\.)?")
_PLACE_LEAD = re.compile(
    r"\b(?:in|at|on|near|from|to|of|across|throughout|outside|inside|between|within|around) (?:the )?[A-Z][\w'’-]+"
)


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
