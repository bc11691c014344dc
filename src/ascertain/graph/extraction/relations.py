"""The relations that sentences state between their names, by the words between these.

A verb phrase between two names is a relation (ReVerb: Fader, Soderland & Etzioni, EMNLP 2011, whose pattern is V | V P
| V W* P); so is what an apposition says ("Tim Cook, chief executive of Apple"). Passives with "by" are turned round.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import NamedTuple

from ascertain.core.graph.nouns import Relation
from ascertain.graph.extraction.kinds import PERSON, PLACE
from ascertain.graph.extraction.words import PERSON_ROLES, REGIONS, RELATION_VERBS, VERBS, Found
from ascertain.language.word_lists import load_alternatives, load_word_set

_any_of = partial(load_alternatives, "relations")
"""A list of words as alternatives of a regular expression."""

LONGEST_BETWEEN = 90
"""Characters between two names that one pattern spans."""

_FORBIDDEN = frozenset('.;:)[]"“”|!?')
"""Marks that end what a verb between two names can join."""
_DETERMINERS = rf"(?: (?:{_any_of('determiners')}))*"
_ADVERBS = rf"(?:(?:{_any_of('adverbs')}|[a-z]+ly) )*"
_ROLE_NOUNS = r"(?:[a-z][a-z'’-]*)(?: (?:and )?[a-z][a-z'’-]*){0,4}"
_ROLES = PERSON_ROLES | load_word_set("names", "relations_of_possession")
"""What somebody or something is to the one before "'s"."""
_NO_ROLE = load_word_set("relations", "no_role")
_NO_APPOSITION = load_word_set("relations", "no_apposition")
_ING_ADJECTIVES = load_word_set("relations", "ing_adjectives")
_LY_NOUNS = load_word_set("relations", "ly_nouns")
_ARTICLES = frozenset({"a", "an", "the"})
_NO_REST = load_word_set("relations", "no_rest")
_OF = rf"(?P<of>{_any_of('of_role')})"
_COORDINATION = frozenset({", ", " and ", ", and ", " & ", " or ", " as well as "})
_CLOSES_APPOSITION = (",", ")", '"', "”", "'")
_PRONOUNS_OF_PEOPLE = frozenset({"he", "she"})
_PRONOUNS_OF_THINGS = frozenset({"it"})


class Statement(NamedTuple):
    """What the words between two names say."""

    predicate: str
    is_turned: bool = False
    """Whether the second name is the subject."""
    is_apposition: bool = False
    """Whether it is said beside the sentence, so that a verb after it is another's."""


def match_statement(between: str) -> Statement | None:
    """The statement of ``between``, the text from the end of one name to the start of the next, if it makes one."""
    if not 2 < len(between) <= LONGEST_BETWEEN or not _FORBIDDEN.isdisjoint(between):
        return None
    opening = " " if between[0].isspace() else ""
    small = opening + " ".join(between.lower().split()).replace("’", "'")
    for pattern, build in _PATTERNS:
        match = pattern.fullmatch(small)
        if match is not None and (found := build(match)) is not None:
            return found
    return None


def _is_of(match: re.Match[str]) -> Statement | None:
    words = match["noun"].split()
    if (
        any(word in _NO_ROLE or word in VERBS for word in words)
        or words[-1] in RELATION_VERBS
        or "and" in {words[0], words[-1]}
        or words[0] in _NO_APPOSITION
    ):
        return None
    is_apposition = match[0].startswith(",")
    if is_apposition and _opens_clause(words):
        return None
    return Statement(f"is {match['noun']} {match['of']}", is_apposition=is_apposition)


def _opens_clause(words: Sequence[str]) -> bool:
    """Whether what follows a comma goes on about something else: "..., arriving in", "..., mostly in"."""
    first, second = words[0], words[1] if len(words) > 1 else ""
    is_participle = first.endswith("ing") and (first not in _ING_ADJECTIVES or not second)
    is_adverb = first.endswith("ly") and first not in _LY_NOUNS
    has_object = any(word in _ARTICLES and before != "and" for before, word in pairwise(words))
    return (
        is_participle or has_object or (is_adverb and (not second or (words[1:] == [second] and second.endswith("ed"))))
    )


def _has_role(match: re.Match[str]) -> Statement | None:
    if match["noun"].split()[-1] not in _ROLES:
        return None
    return Statement(f"is {match['noun']} of", is_turned=True)


def _state_verb(match: re.Match[str]) -> Statement | None:
    verb, rest, preposition = match["verb"], match["rest"].split(), match["preposition"]
    if verb not in RELATION_VERBS or any(word in _NO_REST for word in rest):
        return None
    if rest and not preposition:
        return None  # V W* needs its P
    words = [verb, *rest, *([preposition] if preposition else [])]
    # "a film directed by" leaves the auxiliary out
    passive = (bool(match["passive"]) or preposition == "by") and not verb.endswith("ing")
    if passive and preposition == "by":
        return Statement(" ".join(words[:-1]), is_turned=True)
    if passive and preposition is None:
        return None
    return Statement(" ".join((["is"] if passive else []) + words))


_PATTERNS: tuple[tuple[re.Pattern[str], Callable[[re.Match[str]], Statement | None]], ...] = (
    (
        re.compile(r",? ?\(?(?:who )?(?:was |is )?born (?:[\w', ]{2,40} )?(?:in|at|near)(?: the)?"),
        lambda _: Statement("born in"),
    ),
    (re.compile(r",? ?(?:who )?died (?:[\w', ]{2,40} )?(?:in|at|near)(?: the)?"), lambda _: Statement("died in")),
    (re.compile(rf"'s {_ADVERBS}(?P<noun>{_ROLE_NOUNS}),?(?: is| was)?"), _has_role),
    (
        re.compile(
            rf"(?:,|,? who is|,? who was|,? which is|,? which was| is| was| are| were| became| serves as| served as"
            rf"| works as| remains|,? is|,? was)(?: (?:{_any_of('before_role')}))* "
            rf"(?P<noun>{_ROLE_NOUNS}) {_OF}{_DETERMINERS}"
        ),
        _is_of,
    ),
    (
        re.compile(
            rf",?(?: (?:which|who|and|that))?(?P<passive> (?:{_any_of('passive')}))?"
            rf"(?: (?:{_any_of('auxiliaries')}))? "
            rf"{_ADVERBS}(?P<verb>[a-z-]+)(?: (?:also|later|first|officially))?(?P<rest>(?: [a-z][a-z'-]*){{0,3}}?)"
            rf"(?: (?P<preposition>{_any_of('of_verb')}))?{_DETERMINERS}"
        ),
        _state_verb,
    ),
)


def relations_of(
    sentences: Sequence[Sequence[Found]], keys: Mapping[Found, str], kinds: Mapping[str, str], subject: str
) -> Iterator[Relation]:
    """The relations in consecutive ``sentences`` of one chunk, each given by the names in it from left to right.

    ``keys`` are the keys that stand for the names, ``kinds`` what they are. ``subject`` is the key of what the document
    is about: a pronoun that opens a sentence stands for it as long as nothing else has been talked of.
    """
    in_focus = False
    for names in sentences:
        if not names or _is_question(names[0]):
            continue
        pronoun = subject != "" and _opens_with_pronoun(names, kinds.get(subject, ""))
        clause = _Clause(names, keys, kinds)
        if pronoun and in_focus:
            start = names[0].sentence.words[0].end
            before = names[0].reading.chunk.text[start : names[0].span.start]
            yield from clause.read_relations((subject,), before, 0)
        in_focus = any(keys[name] == subject for name in names[:2]) or (pronoun and in_focus)
        yield from clause.relations()


@dataclass
class _Clause:
    """Reads one sentence from left to right.

    ``_group`` are the names that "and" joins to the last one, ``_outer`` those before an apposition or a place's
    block, to which a verb after it belongs ("Tim Cook, chief executive of Apple, spoke in ..."), ``_said`` what was
    stated last and of whom.
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
            between = self._text_between(place)
            right = self.keys[self.names[place]]
            if between == ", " and right in REGIONS and self._is_a_place_in_it():
                yield self._build_relation(self._group[-1], "is in", right, place)
                self._outer = self._outer or self._group
                self._group = (right,)
            elif between in _COORDINATION:
                yield from self._join_name(right, place)
            else:
                yield from self._start_next(between, right, place)

    def read_relations(self, subjects: tuple[str, ...], between: str, place: int) -> Iterator[Relation]:
        """What ``between`` says of ``subjects`` and the name at ``place``."""
        said = match_statement(between)
        self._said = (subjects, said) if said else None
        if said:
            yield from self._relate_each(subjects, said, self.keys[self.names[place]], place)

    def _start_next(self, between: str, right: str, place: int) -> Iterator[Relation]:
        closes = self._outer and between.lstrip().startswith(_CLOSES_APPOSITION)
        subjects = self._outer if closes else self._group
        yield from self.read_relations(subjects, between.lstrip("\"”')") if closes else between, place)
        opens = between.startswith((", ", " (")) and (self._said is None or self._said[1].is_apposition)
        self._outer = (self._outer or self._group) if opens else ()
        self._group = (right,)

    def _join_name(self, right: str, place: int) -> Iterator[Relation]:
        """A name that "and" joins to the last: the same is said of it, unless a verb of its own follows."""
        has_own_verb = place + 1 < len(self.names) and match_statement(self._text_between(place + 1)) is not None
        if self._said is None:
            self._group = (*self._group, right)
        elif has_own_verb:
            self._group, self._said = (right,), None
        else:
            yield from self._relate_each(*self._said, right, place)
            self._group = (*self._group, right)

    def _relate_each(self, subjects: tuple[str, ...], said: Statement, right: str, place: int) -> Iterator[Relation]:
        for subject in subjects:
            if subject != right:
                left, other = (right, subject) if said.is_turned else (subject, right)
                yield self._build_relation(left, said.predicate, other, place)

    def _is_a_place_in_it(self) -> bool:
        last = self._group[-1]
        return last not in REGIONS and self.kinds.get(last) == PLACE

    def _text_between(self, place: int) -> str:
        left, right = self.names[place - 1], self.names[place]
        return left.reading.chunk.text[left.span.end : right.span.start]

    def _build_relation(self, subject: str, predicate: str, other: str, place: int) -> Relation:
        where = self.names[place]
        chunk = where.reading.chunk
        return Relation(subject, predicate, other, chunk.id, where.sentence.span.shift(chunk.span.start))


def _is_question(name: Found) -> bool:
    """Whether the sentence of a name asks: what a host asks, no guest has said."""
    return name.sentence.span.of(name.reading.chunk.text).rstrip(' \n"”’)').endswith("?")


def _opens_with_pronoun(names: Sequence[Found], kind: str) -> bool:
    opening = names[0].sentence.words[0].small
    return opening in (_PRONOUNS_OF_PEOPLE if kind == PERSON else _PRONOUNS_OF_THINGS)
