"""Recognising papers: by the names their sections have."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ascertain.language.word_lists import load_pattern

_NUMBER = r"(?:(?:\d{1,2}(?:\.\d{1,2}){0,3}|[IVX]{1,5}|[A-H])[.)]?\s+)?"
_NAMES = load_pattern("paper_sections", "recognised")
_KNOWN = re.compile(rf"{_NUMBER}(?:{_NAMES})\s*:?", re.IGNORECASE)
_REFERENCES = re.compile(
    rf"{_NUMBER}(?:references|bibliography|works cited|literature cited)\s*:?", re.IGNORECASE
)
_ABSTRACT = re.compile(rf"{_NUMBER}(?:abstract|summary)\s*:?", re.IGNORECASE)
_RUN_IN = re.compile(r"(abstract|summary|keywords|index terms)\s*[—–:.-]+\s*\S", re.IGNORECASE)
_IDENTIFIED = re.compile(r"\bdoi\b|doi\.org/|\barxiv:", re.IGNORECASE)
_HEAD = 5000
"""Characters in which a paper names its identifier."""


def is_section_name(heading: str) -> bool:
    """Whether a heading is one that papers commonly have, numbered or not."""
    return bool(_KNOWN.fullmatch(heading))


def is_references(heading: str) -> bool:
    """Whether a heading begins the list of references."""
    return bool(_REFERENCES.fullmatch(heading))


def run_in_heading(paragraph: str) -> str | None:
    """``Abstract`` for a paragraph that begins ``Abstract—We show``; None for others."""
    match = _RUN_IN.match(paragraph)
    return match[1].capitalize() if match else None


def is_paper(headings: Sequence[str], text: str) -> bool:
    """Whether the headings are a paper's.

    It has an abstract and two more known sections, or references and three more, or references, one more and a
    DOI or arXiv id at its head.
    """
    known = len({heading.lower() for heading in headings if is_section_name(heading)})
    has_references = any(is_references(heading) for heading in headings)
    has_abstract = any(_ABSTRACT.fullmatch(heading) for heading in headings)
    if has_references and known >= 2 and _IDENTIFIED.search(text[:_HEAD]):
        return True
    return (has_abstract and known >= 3) or (has_references and known >= 4)
