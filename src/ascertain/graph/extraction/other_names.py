"""Places where a text gives one thing two names."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import partial
from typing import NamedTuple

from ascertain.core.spans import Span
from ascertain.graph.extraction.found import Found
from ascertain.graph.extraction.lexicon import CALENDAR, VERBS
from ascertain.language.tokens import STOP_WORDS
from ascertain.language.word_lists import load_alternatives

_any_of = partial(load_alternatives, "other_names")
"""A list of words as alternatives of a regular expression."""

ABBREVIATION = "abbreviation"
ALSO_KNOWN_AS = "also known as"
FORMERLY = "formerly"
LAST_NAME = "last name"
FIRST_NAME = "first name"
ALIAS_TABLE = "alias table"

_ADVERBS = rf"(?:(?:{_any_of('adverbs')}) )*"
_ALSO = re.compile(
    rf",? ?\(?,?(?:who |which |and )?(?:is |was |are |were )?{_ADVERBS}"
    rf"(?:(?:{_any_of('called_as')}) {_ADVERBS}(?:as|to|by (?:the|his|her) (?:nickname|stage name|pen name|pseudonym)),?"
    rf"|a\.?k\.?a\.?|{_any_of('also')}) ",
    re.I,
)
_FORMER = re.compile(
    rf",? ?\(?(?:(?:{_any_of('formerly')}|until \d{{4}})(?: (?:{_any_of('formerly_called')}))?(?: as)?|née|nee|born),? ",
    re.I,
)
_NEEDS_BRACKET = re.compile(r"[(,]")
_QUOTE_OR_ARTICLE = re.compile(r"(?:the |[\"“'‘*_])*", re.I)
_NAME_END = re.compile(rf"[,.;:)(\"”\[\n]| (?:{_any_of('after_name')}) ")
_MOST_WORDS = 5


class Claim(NamedTuple):
    """Two names of one thing: where the name stands, and where the other one."""

    name: Found
    other: Span
    reason: str


def also_known_as(names: Sequence[Found]) -> Iterator[Claim]:
    """The other names that a sentence gives its ``names``: "Person-centred therapy, also known as Rogerian
    psychotherapy, ...".
    """
    for place, name in enumerate(names):
        text, sentence = name.reading.chunk.text, name.sentence.span
        limit = names[place + 1].span.start if place + 1 < len(names) else sentence.end
        limit = max(limit, min(sentence.end, name.span.end + 60))
        for cue, reason in ((_ALSO, ALSO_KNOWN_AS), (_FORMER, FORMERLY)):
            match = cue.match(text, name.span.end, limit)
            if match is None or (reason == FORMERLY and _NEEDS_BRACKET.match(match[0].lstrip()) is None):
                continue
            opening = _QUOTE_OR_ARTICLE.match(text, match.end(), sentence.end)
            start = opening.end() if opening else match.end()
            is_common = name.origin in {"term", "title"} and reason == ALSO_KNOWN_AS
            other = _name_at(text, start, sentence.end, may_be_small=is_common)
            if other is not None and other.of(text).lower() != name.written.lower():
                yield Claim(name, other, reason)
            break


def _name_at(text: str, start: int, end: int, may_be_small: bool) -> Span | None:
    """The name that begins at ``start``: up to a mark or a word that ends it; None when what stands there is
    no name.
    """
    stop = _NAME_END.search(text, start, end)
    span = Span(start, stop.start() if stop else end)
    words = span.of(text).rstrip(" '’”*_").split()
    if not words or len(words) > _MOST_WORDS or words[0].lower() in STOP_WORDS or not words[0][0].isalpha():
        return None
    if any(word.lower() in VERBS or word.lower() in CALENDAR for word in words):
        return None
    if not (words[0][0].isupper() or may_be_small):
        return None
    return Span(start, start + len(span.of(text).rstrip(" '’”*_")))
