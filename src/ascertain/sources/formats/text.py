"""Plain text: as it stands, with the sections of papers; transcripts are recognised by their times and speakers."""

import re
from collections.abc import Iterator, Sequence

from ascertain.language.word_lists import load_pattern
from ascertain.sources.formats.chats import read_chat
from ascertain.sources.formats.draft import Draft, clean_text
from ascertain.sources.formats.reader import Extracted, SourceFile, text_of
from ascertain.sources.formats.transcripts import build_transcript, plain_turns

_NUMBER = r"(?:(?:\d{1,2}(?:\.\d{1,2}){0,3}|[IVX]{1,5}|[A-H])[.)]?\s+)?"
_NAMES = load_pattern("paper_sections", "recognised")
_KNOWN = re.compile(rf"{_NUMBER}(?:{_NAMES})\s*:?", re.IGNORECASE)
_REFERENCES = re.compile(rf"{_NUMBER}(?:references|bibliography|works cited|literature cited)\s*:?", re.IGNORECASE)
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


_MIN_SECTIONS = 2


def read_text(file: SourceFile) -> Iterator[Extracted]:
    """The file's text, cleaned."""
    text = clean_text(text_of(file))
    if chat := read_chat(text):
        yield chat
        return
    turns = plain_turns(text)
    yield build_transcript(turns) if turns else read_prose(text)


def read_prose(text: str) -> Extracted:
    """The text with a section from each line that is nothing but the name of one, as in a paper saved as text."""
    blocks = text.split("\n\n")
    if sum(is_section_name(block.split("\n", 1)[0].strip()) for block in blocks) < _MIN_SECTIONS:
        return Extracted(text)
    draft = Draft()
    for block in blocks:
        first, _, rest = block.partition("\n")
        if is_section_name(first.strip()):
            draft.heading(first, 1)
            draft.add(rest, "\n")
        else:
            draft.add(block)
    sectioned, blocks = draft.finish()
    return Extracted(sectioned, blocks=blocks)
