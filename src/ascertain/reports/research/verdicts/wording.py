"""A claim or a sentence word by word: what carries its meaning, what is denied or planned of it, and its clauses."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from itertools import pairwise

from ascertain.answering.checking.figures import find_figures
from ascertain.answering.checking.objections.wrong_sense import Word, read_sentence
from ascertain.language.equivalents import held_terms
from ascertain.language.languages import ENGLISH
from ascertain.language.remembering import remember_texts
from ascertain.language.tokens import STOP_WORDS, WORD, fold_words, word_informativeness
from ascertain.language.word_lists import compile_pattern, load_pairs, load_word_set
from ascertain.models.entail.alignment import Relation, find_bases, look_up_word, relate_words

_LIGHT = load_word_set("claims", "light_words")
_EXCLUSIVE = load_word_set("verdicts", "exclusives")
_BOUNDING = load_word_set("verdicts", "bounding")
_BOUNDS = re.compile(
    r"[;:|!?()–—]+\s*|,(?!\s*(?:which|who|whose)\b)\s*|\.\s+|(?<!\s)\s+(?:and|but|while|whereas|or|although|though|because|so that)\s+",
    re.I,
)
_INSTEAD = compile_pattern("verdicts", "instead")
OPTIONAL = compile_pattern("verdicts", "optional")
_SOFT = re.compile(rf"{OPTIONAL.pattern}|\b(?:not|n't)\s+(?:all|every|always|necessarily|only)\b", re.I)
_PHRASES = load_pairs("verdicts", "phrases")
_PHRASE = re.compile(rf"\b(?:{'|'.join(phrase.replace(' ', chr(92) + 's+') for phrase in _PHRASES)})\b", re.I)
MOST_TERMS = 60
"""Terms that are compared: more than the longest sentence has; a claim of a thousand words would take minutes."""
LIGHT_WEIGHT = 0.15
"""What a word weighs that any paraphrase may bring along or leave out."""
_ROOT = 5
"""Letters that two words of one root begin with: pickled, pickleable."""


@dataclass(frozen=True, slots=True)
class Term:
    """A word that carries meaning: what it weighs, and whether it is denied or stated as a plan."""

    word: Word
    weight: float

    @property
    def stem(self) -> str:
        """Of its folded form."""
        return self.word.stem


@dataclass(frozen=True, slots=True)
class Clause:
    """What stands between two boundaries of a sentence; ``carried`` are the terms before it that it goes on speaking of ("and never
    shortened").
    """

    start: int
    end: int
    terms: tuple[Term, ...]
    carried: tuple[Term, ...] = ()

    @property
    def subject_terms(self) -> tuple[Term, ...]:
        """With those that it goes on speaking of."""
        return (*self.carried, *self.terms)


@dataclass(frozen=True)
class Wording:
    """A sentence with its terms; figures, dates and words of quantity are none."""

    text: str
    words: tuple[Word, ...]
    terms: tuple[Term, ...]
    clauses: tuple[Clause, ...]
    is_optional: bool
    """Whether it says that something need not be."""

    @cached_property
    def held(self) -> frozenset[str]:
        """Stems of what it says in this and other spellings."""
        return held_terms(self.text, ENGLISH)

    @cached_property
    def exclusives(self) -> frozenset[str]:
        """Its words for all of something or nothing else."""
        return frozenset(word.folded for word in self.words if word.folded in _EXCLUSIVE)

    def find_clause(self, position: int) -> int:
        """The place of the clause that holds a position."""
        return next((i for i, each in enumerate(self.clauses) if each.start <= position < each.end), 0)


@lru_cache(maxsize=4_000)
def read_wording(text: str) -> Wording:
    """``text`` as it is compared, verbs of two words as one."""
    text = _PHRASE.sub(lambda match: _PHRASES[" ".join(match.group().lower().split())], text)
    soft = [match.span() for match in _SOFT.finditer(text)]
    instead = [match.end() for match in _INSTEAD.finditer(text)]
    words = tuple(_settle_denial(word, soft, instead) for word in read_sentence(text, ENGLISH).words)
    counted = [figure.span for figure in find_figures(text)]
    terms = tuple(t for t in _read_terms(words) if not any(s.start <= t.word.start < s.end for s in counted))[
        :MOST_TERMS
    ]
    starts = [0, *(match.end() for match in _BOUNDS.finditer(text)), len(text)]
    clauses = tuple(
        Clause(start, end, tuple(term for term in terms if start <= term.word.start < end))
        for start, end in pairwise(starts)
        if end > start
    )
    is_optional = OPTIONAL.search(text) is not None
    clauses = tuple(_carry_on(text, clauses))
    return Wording(text, words, terms, clauses or (Clause(0, len(text), terms),), is_optional)


def _carry_on(text: str, clauses: Sequence[Clause]) -> Iterator[Clause]:
    """The clauses, one that opens with a verb of grammar or a denial with the terms of the one before."""
    before: Clause | None = None
    for clause in clauses:
        opening = WORD.search(text, clause.start)
        goes_on = before is not None and opening is not None and opening.group().lower() in _ELLIPTIC
        whole = replace(clause, carried=before.subject_terms[:_CARRIED]) if before is not None and goes_on else clause
        yield whole
        before = whole


_CARRIED = 4
"""Terms at the beginning of a clause that the next one may go on speaking of."""
_ELLIPTIC = frozenset(
    "not never no is are was were be has have had can could may might must will would should shall does do did now then also".split()
)


def _settle_denial(word: Word, soft: Sequence[tuple[int, int]], instead: Sequence[int]) -> Word:
    """The word without the denial of "need not" and "not all", which denies no deed, and with that of "instead of"."""
    if any(end <= word.start <= end + _INSTEAD_REACH for end in instead):
        return replace(word, is_denied=True)
    is_soft = any(end <= word.start <= end + _SOFT_REACH for _, end in soft)
    return replace(word, is_denied=False) if word.is_denied and is_soft else word


_INSTEAD_REACH = 12
"""Characters behind "instead of" in which what is not done begins."""
_SOFT_REACH = 60
"""Characters behind "need not" and "not all" of which they speak."""


def _read_terms(words: Iterable[Word]) -> Iterable[Term]:
    for word in words:
        if word.folded in STOP_WORDS or word.folded in _EXCLUSIVE | _BOUNDING or word.text.isdigit():
            continue
        light = word.folded in _LIGHT
        yield Term(word, LIGHT_WEIGHT if light else max(word_informativeness(word.stem, ENGLISH), LIGHT_WEIGHT))


def list_opening(text: str, terms: Sequence[Term]) -> list[Term]:
    """The first of ``terms``, as far as nothing but a space parts them in ``text``: the words of one noun."""
    openings: list[Term] = []
    for term in terms:
        if openings and text[openings[-1].word.start + len(openings[-1].word.text) : term.word.start].strip():
            break
        openings.append(term)
    return openings


def share_terms(one: Iterable[Term], other: Iterable[Term]) -> float:
    """The weight of those of ``one`` that ``other`` has in this or a like word."""
    there = tuple(other)
    return sum(term.weight for term in one if any(is_alike(term.word.folded, each.word.folded) for each in there))


@lru_cache(maxsize=50_000)
def is_alike(one: str, other: str) -> bool:
    """Whether two folded words are of one root, or mean the same."""
    if one == other:
        return True
    relation = relate_words(one, other, ENGLISH)
    if relation in {Relation.SAME, Relation.SYNONYM}:
        return True
    return relation is Relation.NONE and is_kindred(one, other)


@lru_cache(maxsize=50_000)
def is_opposite(one: str, other: str) -> bool:
    """Whether two folded words are opposites."""
    return relate_words(one, other, ENGLISH) is Relation.OPPOSITE


def is_kindred(one: str, other: str) -> bool:
    """Whether two folded words begin alike but for their endings."""
    short, long = sorted((one, other), key=len)
    shared = next((i for i, (a, b) in enumerate(zip(short, long, strict=False)) if a != b), len(short))
    return shared >= _ROOT and shared >= len(short) - 2 and len(long) - shared <= 5 and not short.isdigit()


@dataclass(frozen=True, slots=True)
class Coverage:
    """Shares of the weight of a claim's terms: what a sentence says itself, what it says with the lines over it, and with what
    stands near it; the weight of the weightiest term that none of them has, and these terms.
    """

    said: float
    placed: float
    near: float
    worst: float
    missing: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Held:
    """What some text has: stems in this and other spellings, and folded words."""

    stems: frozenset[str]
    words: frozenset[str]


@remember_texts(2_000)
def read_held(text: str) -> Held:
    """Of ``text``."""
    words = frozenset(fold_words(match.group()).replace("’", "'") for match in WORD.finditer(text))
    return Held(held_terms(text, ENGLISH), words)


def measure_coverage(claim: Wording, places: Sequence[Held], but: str = "") -> Coverage:
    """How far ``places`` (the sentence, the lines over it, what stands near it) have the terms of ``claim``, each term in the first
    that has it; those whose stems ``but`` names are left out.
    """
    left_out = but.split()
    terms = [term for term in claim.terms if term.stem not in left_out]
    total = sum(term.weight for term in terms)
    if not total:
        return Coverage(0.0, 0.0, 0.0, 0.0, ())  # an empty claim is supported by nothing
    weights = [0.0] * len(places)
    worst = 0.0
    missing: list[str] = []
    for term in terms:
        place = next((i for i, held in enumerate(places) if has_term(term, held)), None)
        if place is None:
            worst = max(worst, term.weight)
            missing.append(term.word.text)
        else:
            weights[place] += term.weight
    said, placed, near = (sum(weights[: i + 1]) / total for i in range(3))
    return Coverage(said, placed, near, worst, tuple(missing))


def has_term(term: Term, held: Held) -> bool:
    """Whether some text has a term in this or a like word."""
    folded = term.word.folded
    if term.stem in held.stems:
        return True
    entry = look_up_word(folded, ENGLISH)
    if entry.bases & held.stems or entry.synonyms & held.stems:
        return True
    return any(is_kindred(folded, word) or find_bases(word, ENGLISH) & entry.bases for word in held.words)
