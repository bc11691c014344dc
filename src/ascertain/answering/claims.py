"""Claims: the smallest parts of a sentence that can be true or false by themselves.

Clauses are cut off only where what is left still says something whole: at semicolons, at ``and``/``but``
before a new subject and verb, and at ``, which`` before a verb. Anything in doubt stays in one piece: half a
statement is checked worse than a long one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

from ascertain.core.spans import Span
from ascertain.language.sentences import split_sentences
from ascertain.language.word_lists import load_alternatives

_any_of = partial(load_alternatives, "claims")
"""A list of words as alternatives of a regular expression."""

SHORTEST = 3
"""Words that a part must have on either side of a cut; with fewer it is no statement."""

_VERB = rf"(?:{_any_of('verbs')}|\w+ed)"
_SUBJECT = rf"(?:{_any_of('subjects')}|(?:{_any_of('determiners')})(?:\s+[\w'’-]+){{1,4}}?|[A-Z][\w'’.-]*(?:\s+[A-Z][\w'’.-]*){{0,3}})"
_CUTS = (
    re.compile(r";\s+(?:and\s+|but\s+)?"),
    re.compile(rf",?\s+(?:and|but|while|whereas)\s+(?={_SUBJECT}\s+(?:\w+ly\s+)?{_VERB}\b)"),
    re.compile(rf",\s+(?=which\s+(?:\w+ly\s+)?{_VERB}\b)"),
)
_RELATIVE = re.compile(r"which\s+")
_NAMED = re.compile(
    rf"(?:\b(?:{_any_of('relative_determiners')})(?:\s+[\w'’-]+){{1,3}}|[A-Z][\w'’.-]*(?:\s+[A-Z][\w'’.-]*){{0,3}})$"
)
"""What a relative clause is about: the noun with its article, or the name, right before the comma."""
_MARKER = re.compile(r"(?:\s?\[\d+(?:\s?,\s?\d+)*\])+")
_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Claim:
    """``span`` is where it stands in the sentence it was cut from.

    ``text`` is what it says by itself: without citation marks, and with what it is about in place of
    ``which``.
    """

    text: str
    span: Span


def split_claims(sentence: str) -> list[Claim]:
    """The claims of ``sentence`` in order. Their spans do not overlap and hold every word but the joints cut
    out.
    """
    claims: list[Claim] = []
    for whole in split_sentences(sentence):
        claims.extend(_claim(sentence, part) for part in _parts(sentence, whole))
    return [claim for claim in claims if _WORD.search(claim.text)]


def plain_text(sentence: str) -> str:
    """``sentence`` without the marks of its citations, white space folded."""
    return " ".join(_MARKER.sub("", sentence).split())


def _claim(sentence: str, part: Span) -> Claim:
    text = plain_text(part.of(sentence))
    relative = _RELATIVE.match(text)
    named = _NAMED.search(sentence[: part.start].rstrip(", ")) if relative else None
    return Claim(f"{named.group()} {text[relative.end() :]}" if relative and named else text, part)


def _parts(text: str, whole: Span) -> Iterator[Span]:
    start = whole.start
    for end, following in sorted(_joints(text, whole)):
        if end < start or not _stands_alone(text, Span(start, end)):
            continue
        if _stands_alone(text, Span(following, whole.end)):
            yield Span(start, end)
            start = following
    yield Span(start, whole.end)


def _joints(text: str, whole: Span) -> Iterator[tuple[int, int]]:
    for cut in _CUTS:
        for match in cut.finditer(text, whole.start, whole.end):
            if not _RELATIVE.match(text, match.end()) or _NAMED.search(text[whole.start : match.start()]):
                yield match.span()


def _stands_alone(text: str, part: Span) -> bool:
    """Enough words, and no bracket or quotation left open."""
    words = part.of(text)
    if len(_WORD.findall(words)) < SHORTEST or words.count('"') % 2:
        return False
    return all(
        words.count(opener) == words.count(closer) for opener, closer in (("(", ")"), ("[", "]"), ("“", "”"))
    )
