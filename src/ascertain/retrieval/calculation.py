"""Calculations asked about an answer, which no document holds: "the sum of the digits of the year when …"."""

from __future__ import annotations

import re

from ascertain.language.numbers import SMALL
from ascertain.language.word_lists import load_pattern

_NUMBER = rf"(?:\d+|an?|{'|'.join(SMALL[1:11])})"
_UNIT = r"(?:day|week|month|year|hour|minute|decade)s?"
_OPERATION = load_pattern("nested_questions", "operation")
_STEP = re.compile(
    r"^(?:what(?:'s|’s| is| are| was)?\s+)?(?:the\s+)?"
    rf"(?:(?:{_OPERATION})(?:\s+(?:of|in|to|from|for))?(?:\s+(?:adding|multiplying|subtracting|substracting|dividing)\s+\S+\s+(?:to|by|from))?"
    rf"|(?:date|day|year|month|time)\s+{_NUMBER}\s+{_UNIT}\s+(?:before|after|from|later than)(?:\s+when)?)\s+",
    re.IGNORECASE,
)
_COMPARED = re.compile(
    r"^how many (?:fewer|more|additional|extra) (?:letters|vowels|consonants|characters|syllables)\b.*?\bcompared to\s+(?P<rest>.+)$",
    re.IGNORECASE,
)
_COUNTED = re.compile(
    r"^how many (?:(?:more|unique|repeated|distinct|total)\s+)?(?:letters|vowels|consonants|characters|syllables|digits)\b.*?"
    r"\b(?:in|of|from|have)\s+(?P<rest>the\s.+)$",
    re.IGNORECASE,
)
_CASE = re.compile(r"\s+in (?:lower|upper)\s?case\b", re.IGNORECASE)


def without_calculation(question: str) -> str:
    """What has to be known before ``question`` can be worked out; the question itself where it asks for no working.

    >>> without_calculation("What is the sum of the digits of the year when the publisher of Qst was founded?")
    'the year when the publisher of Qst was founded?'
    """
    rest = _CASE.sub("", question)
    counted = _COMPARED.match(rest) or _COUNTED.match(rest)
    if counted:
        rest = counted["rest"]
    calculated = counted is not None
    while step := _STEP.match(rest):
        calculated = calculated or not _only_a_name(step[0])
        rest = rest[step.end() :]
    return rest if calculated and rest.strip(" ?.") else question


def _only_a_name(step: str) -> bool:
    """A first or last name is part of what a document says; leaving it out changes nothing that is looked up."""
    return re.search(r"\bname\b|\bbirth year\b", step, re.IGNORECASE) is not None
