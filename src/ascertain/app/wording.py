"""How a question is worded, less what never changes what it asks.

Two questions of one wording differ in spacing, closing punctuation, the case of the first letter,
contractions, articles after a function word, and words of politeness. Every other word counts, in its place,
as it is written: a number, a name, a negation, a tense or who did what to whom is never lost. So a question
gets another one's answer only where nobody could tell them apart.
"""

from __future__ import annotations

import re
import unicodedata
from functools import partial

from ascertain.language.tokens import STOP_WORDS
from ascertain.language.word_lists import load_alternatives

_any_of = partial(load_alternatives, "wording")
"""A list of words as alternatives of a regular expression."""

_BEFORE = re.compile(
    rf"^(?:(?:{_any_of('greetings')})[,!.]\s+|please,?\s+|(?:{_any_of('openings')}),?\s+(?=(?:{_any_of('question_words')})\b))+",
    re.IGNORECASE,
)
_AFTER = re.compile(rf"[,.!?]\s*(?:{_any_of('closings')})[\s.!?]*$", re.IGNORECASE)
_EDGES = ".,;:!?…()[]"
_CONTRACTIONS = (
    (re.compile(r"\b(can)(?:'t|not)\b", re.IGNORECASE), r"\1 not"),
    (re.compile(r"\bwon't\b", re.IGNORECASE), "will not"),
    (re.compile(r"\b(\w+)n't\b", re.IGNORECASE), r"\1 not"),
    (re.compile(rf"\b({_any_of('before_is')})'s\b", re.IGNORECASE), r"\1 is"),
    (re.compile(rf"\b({_any_of('before_are')})'re\b", re.IGNORECASE), r"\1 are"),
)


def wording(question: str) -> str:
    """``question`` as it is compared; empty when there is nothing to compare."""
    text = unicodedata.normalize("NFC", question).replace("’", "'")
    text = _AFTER.sub("", _BEFORE.sub("", text.strip()))
    for pattern, written_out in _CONTRACTIONS:
        text = pattern.sub(written_out, text)
    words = [word for token in text.split() if (word := token.strip(_EDGES))]
    if not words:
        return ""
    words[0] = _as_inside(words[0])
    kept = [word for index, word in enumerate(words) if not _is_mere_article(words, index)]
    return " ".join(kept)


def _as_inside(word: str) -> str:
    """The first word as it would stand inside a sentence: ``What`` is ``what``, ``IBM`` and ``iPhone`` stay."""
    return word.lower() if word[1:].islower() or len(word) == 1 else word


def _is_mere_article(words: list[str], index: int) -> bool:
    """Whether a word is an article before a plain word: not the letter of ``plan a``, nor part of a name such
    as The Who.
    """
    if words[index] not in {"a", "an", "the"} or index + 1 == len(words):
        return False
    is_after_function_word = index == 0 or words[index - 1].lower() in STOP_WORDS
    following = words[index + 1]
    return (
        is_after_function_word and following.isalpha() and len(following) > 1 and following not in STOP_WORDS
    )
