"""What a message is for: greeting, a question to the documents, an analysis of them, or nothing they can answer (QU-4).

Analysis is what no single passage holds: trends, moods, shares and changes over a period (AZ-1). A question that asks
what such a word means is an ordinary one.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

from ascertain.core.asking.plans import Intent
from ascertain.language.tokens import fold_words
from ascertain.language.word_lists import compile_pattern, list_names, load_phrases, load_words

# Only a message that is nothing but a greeting counts as one: "hello world" and "thank you notes" are for the
# documents.

_FACES = frozenset("👋🙏👍😊🙂😀😃😄🤗❤♥")


def is_greeting(message: str) -> bool:
    """Whether ``message`` is nothing but greeting, thanks, farewell or a question about the assistant itself."""
    if len(message) > LONGEST_GREETING:
        return False
    words = _fold_words(message)
    if not words:
        return any(character in _FACES for character in message)
    rest = _PHRASE.sub(" ", words)
    if rest == words:
        return False
    return not _FILLER.sub(" ", rest).strip()


LONGEST_GREETING = 120
"""A longer message is more than a greeting."""


def _fold_words(text: str) -> str:
    """Folded words with single spaces between them, everything else dropped, apostrophes without a trace."""
    bare = re.sub(r"['’`´]", "", fold_words(text))
    kept = "".join(c if c.isalnum() or unicodedata.category(c).startswith("M") else " " for c in bare)
    return " ".join(kept.split())


def _any_of(phrases: Iterable[str]) -> re.Pattern[str]:
    plain = sorted({_fold_words(phrase) for phrase in phrases}, key=len, reverse=True)
    return re.compile(rf"(?<!\S)(?:{'|'.join(map(re.escape, plain))})(?!\S)")


_PHRASE = _any_of(
    phrase for language in list_names("greetings", "mul") for phrase in load_phrases("greetings", language, "mul")
)
_FILLER = _any_of(load_words("conversation", "fillers"))


# What people say around a question names no subject, so it is neither looked up nor taken for one.

_SENTENCE_END = re.compile(r"(?<=[.!?…])\s+|\n+")
_OPENING = compile_pattern("conversation", "opening")
_GREETING = compile_pattern("conversation", "greeting_before_question")
_MOST_OPENINGS = 5
_NOTHING = compile_pattern("conversation", "says_nothing")
_BEGINNING = 200
"""Characters in which an assistant says that it has nothing to say."""


def without_greeting(message: str) -> str:
    """``message`` without the greetings before its question; all of it when it asks nothing else."""
    if is_greeting(message):
        return message
    rest = message
    for _ in range(_MOST_OPENINGS):
        match = _GREETING.match(rest)
        if match is None:
            break
        rest = rest[match.end() :]
    return rest


def without_small_talk(text: str) -> str:
    """``text`` without the greetings, thanks and interjections it opens with; all of it when nothing else is left."""
    rest = text.strip()
    for _ in range(_MOST_OPENINGS):
        match = _OPENING.match(rest)
        if match is None or match.end() == len(rest):
            break
        rest = rest[match.end() :]
    return rest if any(character.isalnum() for character in rest) else text.strip()


def says_nothing(text: str) -> bool:
    """Whether an assistant's turn only says that it does not know, or is polite."""
    return _NOTHING.search(text[:_BEGINNING]) is not None


# What is out of scope is narrow on purpose. A question about documents that is mistaken for one of these gets no answer at
# all, while one of these taken for a question merely finds nothing; so whatever asks is left to the documents.

LONGEST_ORDER = 400
"""A longer message holds more than an order."""

_ABLE = re.compile(r"(?:can|could|would|will)\s+you\s+(?=\S)", re.IGNORECASE)
_PERSONAL = re.compile(r"\b(?:me|my|us|our|please|tomorrow|tonight)\b|\d|(?<=\w\s)(?-i:[A-Z])", re.IGNORECASE)
"""What makes an order of "can you …", which may as well ask whether one can."""
_ORDERS = compile_pattern("orders", "orders")
_OVERRIDE = compile_pattern("orders", "override")
_ASKS = compile_pattern("orders", "asks")
_CLOCK = compile_pattern("orders", "clock")
_SUM = re.compile(
    r"(?P<verb>(?:what(?:['’]s|\s+is)|how\s+much\s+is|calculate|compute|solve|evaluate)\s++)?"
    r"(?P<sum>[\s().,]*+\d[\s\d().,]*+(?:[-+*/^×÷][\s().,]*+\d[\s\d().,]*+)+)(?P<equals>=?)"
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
    if len(text) > LONGEST_ORDER:
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
    return 0 < len(words) <= 3 and all(_is_mashed_keys(word) for word in words)


def _is_mashed_keys(word: str) -> bool:
    if not word.isalpha() or not word.isascii() or word in _LAYOUTS:
        return False
    if len(word) >= SHORTEST_MASH and any(word in row or word[::-1] in row for row in _KEYS):
        return True
    match = _REPEATED.search(word)
    return match is not None and len(match.group()) >= max(SHORTEST_MASH, len(word) - 1)


READ = 2000
"""Characters of a message that are read for its intent."""

_ANALYSIS = compile_pattern("question_types", "collection_analysis")
_MEANING = compile_pattern("question_types", "meaning")


def intent_of(message: str) -> tuple[Intent, str]:
    """The intent and why."""
    read = message[:READ]
    if is_greeting(message):
        return Intent.GREETING, "nothing but a greeting"
    why = why_out_of_scope(message)
    if why is not None:
        return Intent.OUT_OF_SCOPE, f"the message {why}"
    if _ANALYSIS.search(read) and not _MEANING.match(read):
        return Intent.ANALYSIS, "asks for a view over many passages"
    return Intent.KNOWLEDGE, "a question to the documents"
