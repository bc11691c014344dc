"""What is looked at in a document: its words, title and headings, and the traits of its structure."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from itertools import pairwise

from ascertain.core.documents import Document, RegionKind
from ascertain.ingest.profiling.structure import STRUCTURE, count_terms, read_text, words_of

MOST_HEADINGS = 60
"""Of a long outline so many are looked at, at equal distances."""
LONGEST_HEADING = 60
"""A line up to so many characters that does not end like a sentence may be a heading."""

_NUMBERING = re.compile(r"^(?:[#*\s]+)?(?:\d+(?:\.\d+)*[.)]?\s+|[ivx]{1,4}[.)]\s+|[a-h][.)]\s+)?")
_DIGITS = re.compile(r"\d+")


@dataclass(frozen=True, slots=True)
class Traits:
    """``spaced`` joins the words, in lower case; ``pairs`` are those that follow each other. ``headings`` are normalised.

    ``terms`` counts the technical tokens: acronyms, identifiers, codes, measured numbers, symbols of formulas.
    """

    words: int
    counts: Mapping[str, int]
    pairs: Set[tuple[str, str]]
    spaced: str
    title: str
    headings: Set[str]
    structure: Mapping[str, float]
    terms: int


def traits(document: Document, sample: str) -> Traits:
    """The traits of ``document``, of whose text ``sample`` was taken."""
    text = read_text(sample)
    structure = {name: measure(text) for name, measure in STRUCTURE.items()}
    turns = sum(region.kind is RegionKind.TURN for region in document.regions[:50])
    structure["turns"] = max(structure["turns"], min(1.0, turns / 4))
    name = document.source.replace("\\", "/").rsplit("/", 1)[-1].split("#", 1)[0]
    return Traits(
        len(text.words),
        text.counts,
        set(pairwise(text.words)),
        text.spaced,
        f" {' '.join(words_of(f'{document.title} {name}'))} ",
        _headings(document, text.lines),
        structure,
        count_terms(text),
    )


def normalised_heading(heading: str) -> str:
    """Lower case, without its own numbering; other numbers become ``#``."""
    return _DIGITS.sub("#", _NUMBERING.sub("", heading.strip().lower()).strip(" *#:."))


def _headings(document: Document, lines: Sequence[str]) -> set[str]:
    sections = [region.place.section for region in document.regions if region.kind is RegionKind.SECTION]
    step = max(1, len(sections) // MOST_HEADINGS)
    known = [path[-1] for path in sections[::step] if path]
    looked_like = [line for line in lines if len(line) <= LONGEST_HEADING and line[-1] not in ".,;!"]
    found = (*known, *looked_like[:MOST_HEADINGS])
    # "Chapter 4: Forces" is a chapter as well.
    return {normalised_heading(part) for heading in found for part in (heading, heading.partition(":")[0])}
