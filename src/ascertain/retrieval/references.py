"""Words that point back to what was said before: pronouns, "these …", "the former", "what about …".

A pronoun that the question itself explains ("Which plan has a trial and how long is it?") and an empty one
("is it possible to …") point nowhere.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum

from ascertain.language.word_lists import compile_pattern
from ascertain.retrieval.salience import WORD, content_stems


class Stands(Enum):
    """What a pronoun can stand for."""

    THING = "thing"
    THINGS = "things"
    PERSON = "person"


@dataclass(frozen=True, slots=True)
class Pronoun:
    """A pronoun at ``start``..``end`` of a question that a name can take the place of."""

    start: int
    end: int
    stands: Stands
    is_possessive: bool


_STANDS = {
    "it": Stands.THING, "its": Stands.THING, "this": Stands.THING, "that": Stands.THING,
    "they": Stands.THINGS, "them": Stands.THINGS, "their": Stands.THINGS, "these": Stands.THINGS, "those": Stands.THINGS,
    "he": Stands.PERSON, "him": Stands.PERSON, "his": Stands.PERSON, "she": Stands.PERSON, "her": Stands.PERSON,
}  # fmt: skip
_POSSESSIVE = frozenset({"its", "their", "his"})
_PRONOUN = re.compile(
    r"(?<![\w'’-])(?:(?P<plain>it|its|they|them|their|he|him|his|she|her)(?![\w'’-])"
    # "this" and "these" alone; before a noun they are a part of its phrase
    r"|(?P<last>this|that|these|those)(?=\s*(?:[?.!,;]|$))"
    r"|(?:^|(?<=[.?!;]\s)|(?<=\bdo\s)|(?<=\bdoes\s)|(?<=\bdid\s))(?P<subject>this|that|these|those)(?=\s+(?:is|are|was|were|mean|work|happen|apply|cost)\b))",
    re.IGNORECASE,
)
_NOUN_AFTER = re.compile(r"\s+[^\W\d_]")
_EMPTY_IT = compile_pattern("conversation", "empty_it")
_POINTING_WORDS = compile_pattern("conversation", "pointing")
_CONTINUING = compile_pattern("conversation", "continuing")
EXPLAINED_BY = 2
"""Content words before a pronoun from which it is taken to point into the question itself."""


def points_back(question: str) -> bool:
    """Whether ``question`` needs what was said before to be understood."""
    if _CONTINUING.match(question):
        return True
    empty, explained = _empty_places(question), _explained_from(question)
    return any(
        match.start() not in empty and match.start() < explained
        for match in _POINTING_WORDS.finditer(question)
    )


def first_pronoun(question: str) -> Pronoun | None:
    """The first pronoun of ``question`` that points back, None where there is none."""
    empty, explained = _empty_places(question), _explained_from(question)
    for match in _PRONOUN.finditer(question):
        if match.start() >= explained:
            return None
        if match.start() in empty:
            continue
        word = match.group().lower()
        owns = word in _POSSESSIVE or (word == "her" and _NOUN_AFTER.match(question, match.end()) is not None)
        return Pronoun(match.start(), match.end(), _STANDS[word], owns)
    return None


def _empty_places(question: str) -> frozenset[int]:
    """Positions within an expression whose "it" stands for nothing."""
    return frozenset(
        place for match in _EMPTY_IT.finditer(question) for place in range(match.start(), match.end())
    )


def _explained_from(question: str) -> int:
    """Position from which a pronoun is taken to point into the question itself."""
    seen: set[str] = set()
    for match in WORD.finditer(question):
        seen |= content_stems(match.group())
        if len(seen) >= EXPLAINED_BY:
            return match.end()
    return len(question) + 1
