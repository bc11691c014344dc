"""Abbreviations and what they stand for, where a text says so in brackets: "European Central Bank (ECB)".

The algorithm of Schwartz & Hearst, "A simple algorithm for identifying abbreviation definitions in biomedical text", PSB 2003: the
characters of the short form are met from right to left in the words before the bracket, the first one at the start of a word.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ascertain.core.spans import Span
from ascertain.language.tokens import STOP_WORDS

_BRACKET = re.compile(r"\s?[(\[]([^()\[\]\n]{2,80})[)\]]")
_WORD = re.compile(r"[^\s(),;:\"“”]+")
_SHORT = re.compile(r"[^\W_][\w.&/-]{1,9}(?: [\w.&/-]{1,6})?")
_LONGEST_SHORT = 10
_MOST_LONG = 12
"""Words of a long form, whatever the length of the short one."""


def abbreviations(text: str, within: Span) -> Iterator[tuple[Span, Span]]:
    """Where ``text`` defines short forms: the span of the short form and that of the long one."""
    for bracket in _BRACKET.finditer(text, *within):
        inside = Span(*bracket.span(1))
        content = inside.of(text)
        for mark in (";", ",", " or "):
            content = content.partition(mark)[0]
        content = content.strip(" \"'“”‘’")
        start = text.find(content, inside.start) if content else -1
        if start < 0:
            continue
        inner = Span(start, start + len(content))
        if _is_short(content):
            long = long_form(text, Span(within.start, bracket.start()), content)
            if long is not None:
                yield inner, long
        elif " " in content and (before := _last_word(text, within.start, bracket.start())) is not None:
            short = before.of(text)
            if _is_short(short) and long_form(text, inner, short) == inner:
                yield before, inner


def long_form(text: str, before: Span, short: str) -> Span | None:
    """The words at the end of ``before`` that ``short`` shortens, or None."""
    short = short[:-1] if short[-1] == "s" and short[:-1].isupper() and len(short) > 2 else short  # CNNs
    letters = [c for c in short.lower() if c.isalnum()]
    words = list(_WORD.finditer(text, *before))[-min(len(letters) + 5, 2 * len(letters), _MOST_LONG) :]
    if not words or len(letters) < 2:
        return None
    # only what stands in one piece before the bracket
    for place in range(len(words) - 1, 0, -1):
        if text[words[place - 1].end() : words[place].start()].strip():
            words = words[place:]
            break
    start = _matched(text, words[0].start(), words[-1].end(), letters)
    if start is None:
        return None
    found = Span(start, words[-1].end())
    long = found.of(text)
    if (
        len(long) <= len(short)
        or short.lower() in long.lower().split()
        or (len(long.split()) < 2 and not short.islower())
    ):
        return None
    first = long.split()[0].lower()
    return None if first in STOP_WORDS else found


def _matched(text: str, start: int, end: int, letters: list[str]) -> int | None:
    """Where the long form begins: the first letter opens a word, the others are met in order."""
    place = end - 1
    for index in range(len(letters) - 1, -1, -1):
        while place >= start and (
            text[place].lower() != letters[index]
            or (index == 0 and place > start and text[place - 1].isalnum())
        ):
            place -= 1
        if place < start:
            return None
        place -= 1
    return place + 1


def _is_short(content: str) -> bool:
    if len(content) > _LONGEST_SHORT or _SHORT.fullmatch(content) is None:
        return False
    upper = sum(c.isupper() for c in content)
    return upper >= 2 or (upper == 1 and len(content) <= 4 and not content[0].isupper())


def _last_word(text: str, start: int, end: int) -> Span | None:
    words = list(_WORD.finditer(text, max(start, end - 30), end))
    return Span(*words[-1].span()) if words and words[-1].end() == end else None
