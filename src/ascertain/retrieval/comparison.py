"""Comparisons: which things a question sets side by side, and in what respect."""

from __future__ import annotations

import re

from ascertain.language.tokens import STOP_WORDS, WORD
from ascertain.language.word_lists import load_word_set

_WORD = r"[^\s,;?]+"
_NAMED = rf"(?:[Tt]he\s+)?(?:[\"“(]?[A-Z0-9]{_WORD}|\"[^\"]+\")(?:\s+(?:(?:of|the|and|in|on|for|de|la|von|van|to|a)\s+)*[\"“(]?[A-Z0-9(]{_WORD})*"
_BETWEEN = re.compile(
    r"(?:\bbetween|\bcomparing|^compare)\s+(?P<a>.+?)\s+(?:and|with|to|versus|vs\.?)\s+(?P<b>.+?)(?=$|[,?]|\s+(?:in terms|with regard|when|for|which|who)\b)",
    re.IGNORECASE,
)
_OR = re.compile(rf"(?:(?P<a>{_NAMED})|[,:]\s*(?P<listed>[^,:]+?))\s*,?\s+or\s+(?P<b>[^,?]+)")
_YES_NO = re.compile(
    rf"^(?:are|is|were|was|do|does|did|have|has|had|can)\s+(?:the\s+)?(?:both\s+)?(?:[a-z]+\s+){{0,2}}?[,]?\s*(?P<a>{_NAMED})\s*,?\s+and\s+(?P<b>{_NAMED})",
    re.IGNORECASE,
)
_BOTH = re.compile(rf"\bboth\s+(?P<a>{_NAMED})\s+and\s+(?P<b>{_NAMED})")
_DIFFER = re.compile(
    r"^how (?:do|does|did)\s+(?P<a>.+?)\s+and\s+(?P<b>.+?)\s+(?:differ|compare)\b", re.IGNORECASE
)
_NO_RESPECT = load_word_set("nested_questions", "no_respect")
MAX_SIDE_WORDS = 12
"""A longer side is a clause that the rule misread."""


def compared(question: str) -> tuple[str, ...]:
    """A search for each side of a comparison: the side and the respect it is asked in; empty where nothing is compared."""
    for pattern in (_BETWEEN, _DIFFER, _BOTH, _YES_NO, _OR):
        found = pattern.search(question)
        if found is None:
            continue
        named = found.groupdict()
        sides = [_side(named.get("a") or named.get("listed") or ""), _side(named["b"])]
        if not all(sides) or any(len(side.split()) > MAX_SIDE_WORDS for side in sides):
            continue
        respect = _respect(question[: found.start()] + " " + question[found.end() :])
        return tuple(f"{side} {respect}".strip() for side in sides)
    return ()


def _side(text: str) -> str:
    return text.strip(" ,;:?.")


def _respect(rest: str) -> str:
    words = [word for word in WORD.findall(rest) if word.casefold() not in STOP_WORDS | _NO_RESPECT]
    return " ".join(words)
