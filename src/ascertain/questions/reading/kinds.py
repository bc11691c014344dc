"""The kind of answer that a question expects."""

from __future__ import annotations

import re
from enum import StrEnum
from functools import cache, partial

from ascertain.language.languages import ENGLISH, KNOWN
from ascertain.language.word_lists import load_alternatives, load_pattern, load_words


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
any_of = partial(load_alternatives, "answer_kinds")
"""A list of words as alternatives of a regular expression."""
MONTH = "|".join(
    f"(?-i:{month.title()})" if month in {"march", "may"} else month
    for month in load_words("months_and_days", "months")
)
"""March and May are words too where they are written small."""
WEEKDAY = load_alternatives("months_and_days", "weekdays")
UNITS = "|".join((*load_words("quantities", "small")[1:], *load_words("quantities", "tens"), any_of("number_words")))
BEING = frozenset({"is", "are", "was", "were"})
BE = "(?:is|was|were|are)"
"""Patterns that questions and answers of several kinds are told by."""
_QUESTIONS: tuple[tuple[AnswerKind, re.Pattern[str]], ...] = tuple(
    (kind, re.compile(pattern, re.I))
    for kind, pattern in (
        (AnswerKind.SHARE, rf"\bpercent(?:age)?\b|\bwhat (?:{any_of('asks_share')})\b|%"),
        (
            AnswerKind.MONEY,
            rf"\bhow much (?:{any_of('asks_money_auxiliaries')}|is \w+ worth)\b.*\b(?:{any_of('asks_money_verbs')})"
            rf"|\b(?:{any_of('asks_money_nouns')})\b.*\bhow much\b"
            rf"|\bwhat {BE} the (?:\w+ )?(?:{any_of('asks_money_nouns')})|\bhow (?:expensive|cheap)\b",
        ),
        (
            AnswerKind.TIME,
            rf"\bwhen\b(?! (?:{any_of('when_of_condition')})\b)"
            rf"|\b(?:what|which|whose) (?:exact )?(?:{any_of('asks_time_nouns')})\b|\bhow (?:long|old|often|soon)\b"
            r"|\bwhat (?:is|was) the (?:\w+ )?(?:date|year)\b|^when\b",
        ),
        (
            AnswerKind.NUMBER,
            rf"\bhow (?:{any_of('asks_number_measures')}|frequent\w*)\b"
            rf"|\bwhat {BE} the (?:\w+ ){{0,2}}(?:{any_of('asks_number_nouns')})\b|\bwhat (?:number|age|size|rank)\b",
        ),
        (AnswerKind.PLACE, rf"\bwhere\b|\b(?:what|which) (?:{any_of('asks_place')})\b"),
        (
            AnswerKind.NAME,
            rf"\bwho(?:m|se)?\b|\b(?:what|which) (?:\w+ )?(?:{any_of('asks_name')})\b"
            rf"|\bwhat {BE} the names?\b|\bwho's\b",
        ),
        (AnswerKind.REASON, rf"\bwhy\b|\bhow come\b|\bwhat (?:{any_of('asks_reason')})\b"),
        (
            AnswerKind.DEFINITION,
            r"^\W*(?:what(?:'s| is| are| was)|define)\b(?: (?:a|an|the))?(?: [\w-]+){1,3}\W*$|\bmean(?:ing|s)?\b|\bdefin",
        ),
    )
)


_ASKED_IN_TURN = (
    AnswerKind.SHARE,
    AnswerKind.MONEY,
    AnswerKind.TIME,
    AnswerKind.PLACE,
    AnswerKind.NAME,
    AnswerKind.REASON,
    AnswerKind.NUMBER,
)
"""The kinds that other languages have wordings for, the finer ones first: "how many" is asked of money and time too."""


@cache
def _compile_questions(language: str) -> tuple[tuple[AnswerKind, re.Pattern[str]], ...]:
    if language not in KNOWN:
        return ()
    patterns = ((kind, load_pattern("questions", f"asks_{kind}", language)) for kind in _ASKED_IN_TURN)
    return tuple((kind, re.compile(rf"(?<!\w){pattern}(?!\w)", re.I)) for kind, pattern in patterns)


def read_kind(question: str, language: str) -> AnswerKind:
    """The kind of answer that ``question`` asks for in ``language``; ANY when no pattern says."""
    for kind, pattern in _QUESTIONS if language == ENGLISH else _compile_questions(language):
        if pattern.search(question):
            return kind
    return AnswerKind.ANY
