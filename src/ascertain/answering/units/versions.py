"""Which documents are outdated: those that say so themselves, and older versions of others that were found."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import PurePosixPath
from typing import Protocol

from ascertain.answering.citations import label_entry
from ascertain.answering.units.candidates import Candidate
from ascertain.core.asking.answers import Decision
from ascertain.core.documents.blocks import BlockKind
from ascertain.core.documents.documents import DocumentKind
from ascertain.language.tokens import WORD, content_terms, fold_words
from ascertain.language.validity import says_superseded
from ascertain.language.word_lists import load_alternatives, load_patterns, load_word_set
from ascertain.questions.reading.question import NUMBERED, YEAR, Question
from ascertain.questions.reading.signs import Sign

_WORDS = load_alternatives("versions", "outdated")
_OUTDATED = re.compile(
    rf"[(\[][^)\]]{{0,500}}\b(?:{_WORDS})\b|^\W*+(?:{_WORDS})\s*[:)\]\-–—]|[:;,\-–—]\s*(?:{_WORDS})\W*$"
    rf"|{'|'.join(load_patterns('versions', 'outdated_phrases'))}",
    re.I,
)
_FILE = re.compile(rf"[-_. ](?:{load_alternatives('versions', 'file_endings')})$", re.I)
_CHANGE = re.compile("|".join(load_patterns("versions", "changes")), re.I)
_EARLIER = re.compile("|".join(load_patterns("versions", "earlier_statements")), re.I)
_PUT_RIGHT = re.compile("|".join(load_patterns("versions", "put_right")), re.I)
_BRACKETS = re.compile(r"[(\[][^)\]]{0,500}[)\]]")
_SIGNS = load_word_set("versions", "version_signs")
_MONTHS = load_word_set("months_and_days", "months")
_PASSED_OVER = _SIGNS | load_word_set("versions", "version_words") | _MONTHS
_NUMBER = re.compile(r"\bv?(\d+(?:\.\d+)*)\b", re.I)


_COMPARED = 4000
"""Characters, from the beginning of two documents, that are compared (by judgement)."""
_SAME = 0.7
"""Share of their terms from which two texts are versions of one: the same as ``retrieval.reranking.NEAR_DUPLICATE``."""
LEAST_SHARED = 2
"""Content terms shared by a sentence and one that revokes it; with fewer, they are about different things."""


def show_version(question: Question, said: Candidate) -> Candidate:
    """A sentence under the heading that is a version, as in a list of changes, with that heading where ``question`` asks which version it is."""
    if said.header is not None or said.is_block or Sign.VERSION not in question.signs:
        return said
    document = said.document
    over = document.place_of(said.span).section
    headings = [block.span for block in document.blocks_of(BlockKind.HEADING) if block.span.end <= said.span.start]
    for span in reversed(headings):
        heading = span.of(document.text)
        if (heading in over or span == headings[0]) and set(NUMBERED.findall(heading)) - question.versions:
            return replace(said, header=span, text=label_entry(heading, said.text))
    return said


class Versioned(Protocol):
    """A document, or a part of one, that may be one of several versions."""

    @property
    def title(self) -> str:
        """Title of the document."""
        ...

    @property
    def source(self) -> str:
        """Where the document came from."""
        ...

    @property
    def text(self) -> str:
        """Its text, from its beginning."""
        ...

    @property
    def kind(self) -> DocumentKind:
        """What it is: articles are each valid for their day."""
        ...

    @property
    def published_at(self) -> datetime | None:
        """When it was published."""
        ...


def is_outdated(title: str, source: str) -> bool:
    """Whether a document is marked as outdated by its title ("Travel policy (OUTDATED)") or by the end of its file's name."""
    return bool(_OUTDATED.search(title) or _FILE.search(PurePosixPath(source.partition("#")[0]).stem))


def find_replaced(question: Question, documents: Mapping[str, Versioned]) -> frozenset[str]:
    """Ids of those ``documents`` that hold no longer; none for a question about what held before, none whose year it names.

    A document that says itself that another one is valid counts where the question does not name its version. A version is older than another where both titles are the same but for dates, numbers and words such as "version"
    or "valid from", one of which each has; or where title and text are nearly the same and the other has the later date, the other
    way round where the question names a number, month or year that only the older one has.
    """
    if Sign.PAST in question.signs:
        return frozenset()
    return frozenset(
        key
        for key, document in documents.items()
        if question.years.isdisjoint(YEAR.findall(document.title))
        and (
            is_outdated(document.title, document.source)
            or (says_superseded(document.text) and question.versions.isdisjoint(NUMBERED.findall(document.title)))
            or any(_is_older(document, other, question.language) for other in documents.values())
            or any(_is_repeated(question.text, question.language, document, other) for other in documents.values())
        )
    )


def describe_replaced(replaced: Collection[str], candidates: Sequence[Candidate]) -> list[Decision]:
    """The decision that other versions replace these, with their titles; none where there are none."""
    documents = {each.document.id: each.document for each in candidates if each.document.id in replaced}
    names = (f"{d.title}, {d.published_at:%Y-%m-%d}" if d.published_at else d.title for d in documents.values())
    reason = f"other versions hold in their place: {'; '.join(names)}"
    return [Decision("compose", f"{len(documents)} set aside", reason)] if documents else []


def find_change(quoted: Sequence[Candidate]) -> int | None:
    """Index of the first sentence that says that the first one, of an older document or above it, is no longer valid
    ("moves from 29 March to 5 April").
    """
    if not quoted or _CHANGE.search(quoted[0].text):
        return None
    first = quoted[0]
    for index, other in enumerate(quoted[1:], 1):
        is_of_same = len(set(first.terms) & set(other.terms)) >= LEAST_SHARED
        if is_of_same and _CHANGE.search(other.text) and _follows(other, first):
            return index
    return None


LEAST_TOLD, MIN_TOLD = 0.5, 0.3
"""Share of what the first sentence holds of a question, and of the question, from which one that takes something back is about the same
(by judgement).
"""


def find_later_change(question: Question, first: Candidate, others: Sequence[Candidate]) -> int | None:
    """Index of the one of ``others``, of the newest document, which says that what ``first``, of an older document, says holds no longer.

    None for a question about what held before, or one that names a year: both documents may be asked for.
    """
    if Sign.PAST in question.signs or question.years or first.document.published_at is None:
        return None
    least = max(LEAST_TOLD * question.coverage(first.terms), MIN_TOLD)
    found = [
        (other.document.published_at, -index)
        for index, other in enumerate(others)
        if other.document.published_at is not None
        and other.document.published_at > first.document.published_at
        and _CHANGE.search(other.text)
        and len({*first.terms} & {*other.terms}) >= LEAST_SHARED
        and question.coverage(other.terms) >= least
    ]
    return -max(found)[1] if found else None


def find_put_right(quoted: Candidate, candidates: Sequence[Candidate]) -> int | None:
    """Index of the sentence behind ``quoted`` that puts right what it reports as said before: "We said 230. The right number is 320."."""
    if not _EARLIER.search(quoted.text):
        return None
    behind = [
        i
        for i, each in enumerate(candidates)
        if each.document.id == quoted.document.id and each.span.start >= quoted.span.end
    ]
    following = min(behind, key=lambda i: candidates[i].span, default=None)
    if following is None:
        return None
    right = candidates[following]
    return following if _PUT_RIGHT.search(right.text) or _gives_other_figure(quoted, right) else None


def _gives_other_figure(quoted: Candidate, right: Candidate) -> bool:
    """Whether ``right`` says of the same thing a figure that ``quoted`` has not."""
    said, says = set(quoted.terms), set(right.terms)
    return any(term.isdigit() for term in says - said) and any(not term.isdigit() for term in says & said)


def _follows(later: Candidate, earlier: Candidate) -> bool:
    """Whether it is of a newer document, of one with an unknown date, or further down in the same one."""
    if later.document.id == earlier.document.id:
        return later.span.start > earlier.span.start
    days = later.document.published_at, earlier.document.published_at
    return days[0] is None or days[1] is None or days[0] >= days[1]


def _is_older(one: Versioned, other: Versioned, language: str) -> bool:
    kept = _strip_version(one.title, language)
    return bool(kept) and kept == _strip_version(other.title, language) and _version_key(one) < _version_key(other)


def _is_repeated(question: str, language: str, one: Versioned, other: Versioned) -> bool:
    """Whether ``other`` says nearly the same under the same title and replaces ``one``: it is the later, or the requested one."""
    if one.kind is not DocumentKind.PROSE or other.kind is not DocumentKind.PROSE:
        return False
    if one.published_at is None or other.published_at is None or one.published_at == other.published_at:
        return False
    if not one.title or fold_words(one.title) != fold_words(other.title):
        return False
    terms, other_terms = (frozenset(content_terms(each.text[:_COMPARED], language)) for each in (one, other))
    if len(terms & other_terms) <= _SAME * len(terms | other_terms):
        return False
    texts = (f"{each.published_at:%Y}\n{each.text[:_COMPARED]}" for each in (one, other))
    dates, other_dates, named = (_name_dates(text) for text in (*texts, question))
    names_one, names_other = (not named.isdisjoint(only) for only in (dates - other_dates, other_dates - dates))
    return names_other if names_one is not names_other else one.published_at < other.published_at


def _name_dates(text: str) -> frozenset[str]:
    """The numbers and the months that a text names."""
    return frozenset(word for word in WORD.findall(fold_words(text)) if word.isdecimal() or word in _MONTHS)


def _strip_version(title: str, language: str) -> tuple[str, ...]:
    """The terms of a title that names its version, without that name; empty for another title."""
    plain = _BRACKETS.sub(" ", title)
    words = fold_words(plain).split()
    if not any(word in _SIGNS or re.fullmatch(r"v\d.*", word) for word in words) or not _NUMBER.search(plain):
        return ()
    return content_terms(
        " ".join(word for word in words if word not in _PASSED_OVER and not re.search(r"\d", word)), language
    )


def _version_key(document: Versioned) -> tuple[Sequence[int], datetime]:
    plain = _BRACKETS.sub(" ", document.title)
    years = [int(year) for year in YEAR.findall(plain)]
    number = _NUMBER.search(plain)
    parts = [max(years)] if years else [int(part) for part in number.group(1).split(".")] if number else []
    return parts, document.published_at or datetime.min.replace(tzinfo=UTC)
