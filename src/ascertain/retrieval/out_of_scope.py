"""Messages that no document can answer: orders to act, sums, the time of day, text without words.

Narrow on purpose. A question about documents that is taken for one of these gets no answer at all, while one of these taken
for a question merely finds nothing; so whatever asks is left to the documents.
"""

from __future__ import annotations

import re

from ascertain.language.word_lists import compile_pattern
from ascertain.retrieval.small_talk import without_small_talk

MOST_CHARACTERS = 400
"""A longer message holds more than an order."""

_ABLE = re.compile(r"(?:can|could|would|will)\s+you\s+(?=\S)", re.IGNORECASE)
_PERSONAL = re.compile(r"\b(?:me|my|us|our|please|tomorrow|tonight)\b|\d|(?<=\w\s)(?-i:[A-Z])", re.IGNORECASE)
"""What makes an order of "can you …", which may as well ask whether one can."""
_ORDERS = compile_pattern("orders", "orders")
_OVERRIDE = compile_pattern("orders", "override")
_ASKS = compile_pattern("orders", "asks")
_CLOCK = compile_pattern("orders", "clock")
_SUM = re.compile(
    r"(?P<verb>(?:what(?:['’]s|\s+is)|how\s+much\s+is|calculate|compute|solve|evaluate)\s+)?"
    r"(?P<sum>[\s\d().,]*\d[\s\d().,]*(?:[-+*/^×÷][\s\d().,]*\d[\s\d().,]*)+)(?P<equals>=?)"
)
_KEYS = ("qwertyuiop", "asdfghjkl", "zxcvbnm")
_LAYOUTS = frozenset({"qwerty", "qwert", "qwertyuiop"})
"""Runs of keys that are words: the name of the layout."""
_REPEATED = re.compile(r"([^\W\d_])\1{4,}|([^\W\d_]{2,4})\2{2,}")
SHORTEST_MASH = 5
"""Neighbouring keys from which letters are no word; "were", "pool" and "tree" are such runs too, but shorter."""


def why_out_of_scope(message: str) -> str | None:
    """What makes it certain that no document answers ``message``; None where it is not."""
    text = message.strip()
    if not any(character.isalnum() for character in text):
        return "holds no words"
    if len(text) > MOST_CHARACTERS:
        return None
    asked = without_small_talk(text).rstrip(" ?!.")
    if _CLOCK.fullmatch(asked):
        return "asks for the time or the date"
    if _is_sum(asked):
        return "is a sum"
    if _is_mash(asked):
        return "is no word of any language"
    if _ASKS.search(asked):
        return None
    able = _ABLE.match(asked)
    order = asked[able.end() :] if able is not None else asked
    if _OVERRIDE.match(order):
        return "is an order to the assistant, not a question"
    if _ORDERS.match(order) and (able is None or _PERSONAL.search(order)):
        return "asks for an action, not for information"
    return None


def _is_sum(text: str) -> bool:
    """Signs that also stand in dates, ranges and names (9/11, 2023-24) need a word that asks for the result."""
    match = _SUM.fullmatch(text.lower())
    if match is None:
        return False
    orders = (match["verb"] or "").startswith(("calc", "comp", "solve", "eval", "how much"))
    return orders or bool(match["equals"]) or any(sign in match["sum"] for sign in "+*×÷^")


def _is_mash(text: str) -> bool:
    words = text.lower().split()
    return 0 < len(words) <= 3 and all(_is_mashed(word) for word in words)


def _is_mashed(word: str) -> bool:
    if not word.isalpha() or not word.isascii() or word in _LAYOUTS:
        return False
    if len(word) >= SHORTEST_MASH and any(word in row or word[::-1] in row for row in _KEYS):
        return True
    match = _REPEATED.search(word)
    return match is not None and len(match.group()) >= max(SHORTEST_MASH, len(word) - 1)
