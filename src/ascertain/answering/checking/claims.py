"""The claims of a sentence: its smallest parts that can be true or false by themselves.

Clauses are cut off only where the rest is still a complete statement: at semicolons, and at ``and``/``but`` before a
subject and verb of their own. Anything in doubt stays in one piece: half a statement is checked worse than a long one, and
what depends on another clause (``, which``) says something else without it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

from ascertain.core.documents.blocks import Span
from ascertain.language.sentences import split_sentences
from ascertain.language.word_lists import load_alternatives

_any_of = partial(load_alternatives, "claims")
"""A list of words as alternatives of a regular expression."""

SHORTEST = 3
"""Words that a part must have on either side of a cut; with fewer it is not a statement."""

_VERB = rf"(?:{_any_of('verbs')}|\w+ed)"
_SUBJECT = rf"(?:{_any_of('subjects')}|(?:{_any_of('determiners')})(?:\s+[\w'’-]+){{1,4}}?|[A-Z][\w'’.-]*(?:\s+[A-Z][\w'’.-]*){{0,3}})"
_CUTS = (
    re.compile(r";\s+(?:and\s+|but\s+)?"),
    re.compile(rf",?(?<!\s)\s+(?:and|but|while|whereas)\s+(?={_SUBJECT}\s+(?:\w+ly\s+)?{_VERB}\b)"),
)
_MARKER = re.compile(r"(?:\s?\[\d+(?:\s?,\s?\d+)*\])+")
_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Claim:
    """``text`` is what it says, without citation marks; ``span`` its place in the sentence it was cut from."""

    text: str
    span: Span


def split_claims(sentence: str) -> list[Claim]:
    """The claims of ``sentence`` in order. Their spans do not overlap and contain every word except the removed joints."""
    claims: list[Claim] = []
    for whole in split_sentences(sentence):
        claims.extend(Claim(plain_text(part.of(sentence)), part) for part in _split_parts(sentence, whole))
    return [claim for claim in claims if _WORD.search(claim.text)]


def plain_text(sentence: str) -> str:
    """``sentence`` without the marks of its citations, white space folded."""
    return " ".join(_MARKER.sub("", sentence).split())


def drop_answer(claim: str) -> str:
    """``claim`` without the ``Yes`` or ``No`` that answers the question: by themselves they neither affirm nor deny anything."""
    rest = claim[match.end() :] if (match := _ANSWER.match(claim)) else claim
    return rest[:1].upper() + rest[1:] if _WORD.search(rest) else claim


_ANSWER = re.compile(r"\W*(?:yes|no)\b[,:;.]\s*", re.I)


def _split_parts(text: str, whole: Span) -> Iterator[Span]:
    start = whole.start
    for end, following in sorted(_find_joints(text, whole)):
        if end < start or not _stands_alone(text, Span(start, end)):
            continue
        if _stands_alone(text, Span(following, whole.end)):
            yield Span(start, end)
            start = following
    yield Span(start, whole.end)


def _find_joints(text: str, whole: Span) -> Iterator[tuple[int, int]]:
    for cut in _CUTS:
        for match in cut.finditer(text, whole.start, whole.end):
            yield match.span()


def _stands_alone(text: str, part: Span) -> bool:
    """Enough words, and no bracket or quotation left open."""
    words = part.of(text)
    if len(_WORD.findall(words)) < SHORTEST or words.count('"') % 2:
        return False
    return all(words.count(opener) == words.count(closer) for opener, closer in (("(", ")"), ("[", "]"), ("“", "”")))
