"""Relations between two names of a sentence, by the words between them.

A verb phrase between two names is a relation (ReVerb: Fader, Soderland & Etzioni, "Identifying Relations for
Open Information Extraction", EMNLP 2011, whose pattern is V | V P | V W* P); so is what an apposition says
("Tim Cook, chief executive of Apple"). Passives with "by" are turned round.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from typing import NamedTuple

from ascertain.graph.extraction.lexicon import PERSON_ROLES, RELATION_VERBS, VERBS
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


class Statement(NamedTuple):
    """What the words between two names say."""

    predicate: str
    is_turned: bool = False
    """Whether the second name is the subject."""
    is_apposition: bool = False
    """Whether it is said beside the sentence, so that a verb after it is another's."""


def statement(between: str) -> Statement | None:
    """The statement that ``between``, the text from the end of one name to the start of the next, makes; None
    when it makes none.
    """
    if not 2 < len(between) <= LONGEST_BETWEEN or not _FORBIDDEN.isdisjoint(between):
        return None
    opening = " " if between[0].isspace() else ""
    small = opening + " ".join(between.lower().split()).replace("’", "'")
    for pattern, build in _PATTERNS:
        match = pattern.fullmatch(small)
        if match is not None and (found := build(match)) is not None:
            return found
    return None


def _born(_match: re.Match[str]) -> Statement:
    return Statement("born in")


def _died(_match: re.Match[str]) -> Statement:
    return Statement("died in")


def _is_of(match: re.Match[str]) -> Statement | None:
    words = match["noun"].split()
    if (
        any(word in _NO_ROLE or word in VERBS for word in words)
        or words[-1] in RELATION_VERBS
        or "and" in {words[0], words[-1]}
    ):
        return None
    return Statement(f"is {match['noun']} {match['of']}", is_apposition=match[0].startswith(","))


def _has_role(match: re.Match[str]) -> Statement | None:
    if match["noun"].split()[-1] not in _ROLES:
        return None
    return Statement(f"is {match['noun']} of", is_turned=True)


def _verb(match: re.Match[str]) -> Statement | None:
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


_ROLES = PERSON_ROLES | load_word_set("names", "relations_of_possession")
"""What somebody or something is to the one before "'s"."""
_NO_ROLE = load_word_set("relations", "no_role")
_NO_REST = load_word_set("relations", "no_rest")

_OF = rf"(?P<of>{_any_of('of_role')})"
_PATTERNS: tuple[tuple[re.Pattern[str], Callable[[re.Match[str]], Statement | None]], ...] = (
    (re.compile(r",? ?\(?(?:who )?(?:was |is )?born (?:[\w', ]{2,40} )?(?:in|at|near)(?: the)?"), _born),
    (re.compile(r",? ?(?:who )?died (?:[\w', ]{2,40} )?(?:in|at|near)(?: the)?"), _died),
    (re.compile(rf"'s {_ADVERBS}(?P<noun>{_ROLE_NOUNS}),?(?: is| was)?"), _has_role),
    (
        re.compile(
            rf"(?:,|,? who is|,? who was|,? which is|,? which was| is| was| are| were| became| serves as| served as| works as| remains|,? is|,? was)"
            rf"(?: (?:{_any_of('before_role')}))* (?P<noun>{_ROLE_NOUNS}) {_OF}{_DETERMINERS}"
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
        _verb,
    ),
)
