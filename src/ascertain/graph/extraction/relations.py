"""The relations that the sentences of a document state between its names."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from ascertain.core.graph import Relation
from ascertain.graph.extraction.found import Found
from ascertain.graph.extraction.kinds import PERSON, PLACE
from ascertain.graph.extraction.lexicon import REGIONS
from ascertain.graph.extraction.patterns import Statement, statement

_COORDINATION = frozenset({", ", " and ", ", and ", " & ", " or ", " as well as "})
_CLOSES_APPOSITION = (",", ")", '"', "”", "'")
_PRONOUNS_OF_PEOPLE = frozenset({"he", "she"})
_PRONOUNS_OF_THINGS = frozenset({"it"})


def relations_of(
    sentences: Sequence[Sequence[Found]], keys: Mapping[Found, str], kinds: Mapping[str, str], subject: str
) -> Iterator[Relation]:
    """The relations in consecutive ``sentences`` of one chunk, each given by the names in it from left to right.

    ``keys`` are the keys that stand for the names, ``kinds`` what they are. ``subject`` is the key of what the document is about: a
    pronoun that opens a sentence stands for it as long as nothing else has been talked of.
    """
    in_focus = False
    for names in sentences:
        if not names:
            continue
        pronoun = subject != "" and _opens_with_pronoun(names, kinds.get(subject, ""))
        clause = _Clause(names, keys, kinds)
        if pronoun and in_focus:
            start = names[0].sentence.words[0].end
            before = names[0].reading.chunk.text[start : names[0].span.start]
            yield from clause.stated((subject,), before, 0)
        in_focus = any(keys[name] == subject for name in names[:2]) or (pronoun and in_focus)
        yield from clause.relations()


@dataclass
class _Clause:
    """Reads one sentence from left to right.

    ``_group`` are the names that "and" joins to the last one, ``_outer`` those before an apposition or a place's region, to which a
    verb after it belongs ("Tim Cook, chief executive of Apple, spoke in ..."), ``_said`` what was stated last and of whom.
    """

    names: Sequence[Found]
    keys: Mapping[Found, str]
    kinds: Mapping[str, str]

    def __post_init__(self) -> None:
        self._group: tuple[str, ...] = (self.keys[self.names[0]],)
        self._outer: tuple[str, ...] = ()
        self._said: tuple[tuple[str, ...], Statement] | None = None

    def relations(self) -> Iterator[Relation]:
        """All of the sentence but what a pronoun at its start says."""
        for place in range(1, len(self.names)):
            between = self._between(place)
            right = self.keys[self.names[place]]
            if between == ", " and right in REGIONS and self._is_a_place_in_it():
                yield self._relation(self._group[-1], "is in", right, place)
                self._outer = self._outer or self._group
                self._group = (right,)
            elif between in _COORDINATION:
                yield from self._joined(right, place)
            else:
                yield from self._next(between, right, place)

    def stated(self, subjects: tuple[str, ...], between: str, place: int) -> Iterator[Relation]:
        """What ``between`` says of ``subjects`` and the name at ``place``."""
        said = statement(between)
        self._said = (subjects, said) if said else None
        if said:
            yield from self._each(subjects, said, self.keys[self.names[place]], place)

    def _next(self, between: str, right: str, place: int) -> Iterator[Relation]:
        closes = self._outer and between.lstrip().startswith(_CLOSES_APPOSITION)
        subjects = self._outer if closes else self._group
        yield from self.stated(subjects, between.lstrip("\"”')") if closes else between, place)
        opens = between.startswith((", ", " (")) and (self._said is None or self._said[1].is_apposition)
        self._outer = (self._outer or self._group) if opens else ()
        self._group = (right,)

    def _joined(self, right: str, place: int) -> Iterator[Relation]:
        """A name that "and" joins to the last: another one of whom the same is said, unless a verb of its own follows it."""
        has_own_verb = place + 1 < len(self.names) and statement(self._between(place + 1)) is not None
        if self._said is None:
            self._group = (*self._group, right)
        elif has_own_verb:
            self._group, self._said = (right,), None
        else:
            yield from self._each(*self._said, right, place)
            self._group = (*self._group, right)

    def _each(self, subjects: tuple[str, ...], said: Statement, right: str, place: int) -> Iterator[Relation]:
        for subject in subjects:
            if subject != right:
                left, other = (right, subject) if said.is_turned else (subject, right)
                yield self._relation(left, said.predicate, other, place)

    def _is_a_place_in_it(self) -> bool:
        last = self._group[-1]
        return last not in REGIONS and self.kinds.get(last) == PLACE

    def _between(self, place: int) -> str:
        left, right = self.names[place - 1], self.names[place]
        return left.reading.chunk.text[left.span.end : right.span.start]

    def _relation(self, subject: str, predicate: str, other: str, place: int) -> Relation:
        where = self.names[place]
        chunk = where.reading.chunk
        return Relation(subject, predicate, other, chunk.id, where.sentence.span.shift(chunk.span.start))


def _opens_with_pronoun(names: Sequence[Found], kind: str) -> bool:
    opening = names[0].sentence.words[0].small
    return opening in (_PRONOUNS_OF_PEOPLE if kind == PERSON else _PRONOUNS_OF_THINGS)
