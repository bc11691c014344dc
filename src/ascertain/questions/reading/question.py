"""A question read once: what it says, what it names, and what it wants."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from itertools import pairwise

from ascertain.language.languages import ENGLISH
from ascertain.language.numbers import spell_figures
from ascertain.language.tokens import WORD, content_terms, word_informativeness
from ascertain.questions.reading.facts import Asked, find_office, read_asked
from ascertain.questions.reading.kinds import AnswerKind, read_kind
from ascertain.questions.reading.names import AskedNames, find_subject, read_asked_names
from ascertain.questions.reading.signs import Sign, read_signs

_TOKEN = re.compile(r"[^\W_]+(?:[-_./][^\W_]+)*")
_VERSION = re.compile(r"v?\d+(?:\.\d+){2,}")
_SHORTEST = 4
"""Shorter tokens of letters and digits (``5G``, ``H2O``, ``Q3``) have other spellings too often to insist on them."""


def find_identifiers(question: str) -> tuple[str, ...]:
    """Codes and versions in ``question``: ``TP-4107``, ``CVE-2024-3094``, ``3.11.2``, ``max_retry_2``."""
    identifiers: dict[str, None] = {}
    for token in _TOKEN.findall(question):
        is_code = any(c.isdigit() for c in token) and any(c.isupper() or c == "_" for c in token)
        if _VERSION.fullmatch(token) or (is_code and len(token) >= _SHORTEST):
            identifiers.setdefault(token)
    return tuple(identifiers)


NUMBERED = re.compile(r"(?<!\d)\d+(?:\.\d+)+")
YEAR = re.compile(r"\b(?:1\d|20)\d\d\b")
_LEAST = 0.05
"""Weight of the commonest word."""


@dataclass(frozen=True, slots=True)
class Question:
    """One question as all that looks for its answer reads it; ``language`` is its ISO 639-1 code."""

    text: str
    language: str
    weights: Mapping[str, float]
    """Weight of each content term (stem), in order of the question; above 0."""
    pairs: frozenset[tuple[str, str]]
    """Content terms that follow each other."""
    specifics: frozenset[str]
    """Terms of names and numbers: those written with a capital inside the question, or with a digit."""
    kind: AnswerKind
    asked: Asked
    """The fact that has to be in an answer, finer than ``kind``."""
    office: tuple[str, ...]
    """Folded words of the office whose holder is asked for."""
    subject: str
    """What it wants explained, "" for any other question."""
    names: AskedNames
    """What the names of entries are looked for in."""
    codes: tuple[str, ...]
    """Identifiers and versions, as written."""
    versions: frozenset[str]
    """Numbers with points: "3.11"."""
    years: frozenset[str]
    signs: frozenset[Sign]

    def coverage(self, terms: Collection[str]) -> float:
        """Share of the question's term weight found in ``terms``, 0..1; 0 for a question without content terms."""
        total = sum(self.weights.values())
        found = sum(weight for term, weight in self.weights.items() if term in terms)
        return found / total if total else 0.0


def read_question(text: str, language: str = ENGLISH) -> Question:
    """Read one question, which stands alone."""
    terms = content_terms(text, language)
    asked = read_asked(spell_figures(text), language)
    return Question(
        text=text,
        language=language,
        weights={term: max(word_informativeness(term, language), _LEAST) for term in terms},
        pairs=frozenset(pairwise(terms)),
        specifics=_find_specifics(text, language),
        kind=read_kind(text, language),
        asked=asked,
        office=find_office(asked.text),
        subject=find_subject(text, language),
        names=read_asked_names(text, language),
        codes=find_identifiers(text),
        versions=frozenset(NUMBERED.findall(text)),
        years=frozenset(YEAR.findall(text)),
        signs=read_signs(text, language),
    )


def _find_specifics(question: str, language: str) -> frozenset[str]:
    specifics: set[str] = set()
    for match in WORD.finditer(question):
        word = match.group()
        starts = not re.search(r"\w", question[: match.start()])
        if any(c.isdigit() for c in word) or (any(c.isupper() for c in word) and not starts):
            specifics.update(content_terms(word, language))
    return frozenset(specifics)
