"""The relations that the sentences of a document state between its names."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

from ascertain.core.graph import Relation
from ascertain.graph.extraction.found import Found
from ascertain.graph.extraction.kinds import PERSON, PLACE
from ascertain.graph.extraction.lexicon import REGIONS
from ascertain.graph.extraction.patterns import Statement, statement

_COORDINATION = frozenset({", ", " and ", ", and ", " & ", " or "})
_PRONOUNS_OF_PEOPLE = frozenset({"he", "she"})
_PRONOUNS_OF_THINGS = frozenset({"it"})


def relations_of(
    sentences: Sequence[Sequence[Found]], keys: Mapping[Found, str], kinds: Mapping[str, str], subject: str
) -> Iterator[Relation]:
    """The relations in consecutive ``sentences`` of one chunk, each given by the names in it from left to right.

    ``keys`` are the keys that stand for the names. ``subject`` is the key of what the document is about: a pronoun that
    opens a sentence stands for it as long as nothing else has been talked of.
    """
    in_focus = False
    for names in sentences:
        if not names:
            continue
        pronoun = _pronoun(names, kinds.get(subject, "")) if subject else ""
        if pronoun and in_focus:
            first = names[0]
            start = first.sentence.words[0].end
            yield from _stated(subject, first.reading.chunk.text[start : first.span.start], 0, names, keys)
        in_focus = any(keys[name] == subject for name in names[:2]) or (bool(pronoun) and in_focus)
        for place, (left, right) in enumerate(pairwise(names)):
            between = left.reading.chunk.text[left.span.end : right.span.start]
            if between == ", " and keys[right] in REGIONS and keys[left] not in REGIONS:
                if kinds.get(keys[left]) == PLACE:
                    yield _relation(keys[left], "is in", keys[right], left)
            else:
                yield from _stated(keys[left], between, place + 1, names, keys)


def _stated(
    subject: str, between: str, place: int, names: Sequence[Found], keys: Mapping[Found, str]
) -> Iterator[Relation]:
    """What ``between`` says of ``subject`` and the name at ``place``, and of those that "and" joins to it."""
    said: Statement | None = statement(between)
    if said is None:
        return
    while place < len(names):
        other = keys[names[place]]
        if other != subject:
            left, right = (other, subject) if said.is_turned else (subject, other)
            yield _relation(left, said.predicate, right, names[place])
        if place + 1 == len(names):
            return
        one, following = names[place], names[place + 1]
        if one.reading.chunk.text[one.span.end : following.span.start] not in _COORDINATION:
            return
        place += 1


def _relation(subject: str, predicate: str, other: str, where: Found) -> Relation:
    chunk = where.reading.chunk
    return Relation(subject, predicate, other, chunk.id, where.sentence.span.shift(chunk.span.start))


def _pronoun(names: Sequence[Found], kind: str) -> str:
    opening = names[0].sentence.words[0].small
    fitting = _PRONOUNS_OF_PEOPLE if kind == PERSON else _PRONOUNS_OF_THINGS
    return opening if opening in fitting else ""
