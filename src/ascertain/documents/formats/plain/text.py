"""Plain text: a tree built from the layout of its lines, with the sections of papers; transcripts are recognised by their times and speakers."""

import re
from collections.abc import Iterator, Sequence

from ascertain.core.documents.blocks import BlockKind
from ascertain.documents.formats.drafts.draft import Draft, clean_text
from ascertain.documents.formats.plain.furniture import cut_furniture
from ascertain.documents.formats.plain.reader import PlainReader, nothing_known
from ascertain.documents.formats.reader import Extracted, SourceFile, text_of
from ascertain.documents.formats.speech.chats import read_chat
from ascertain.documents.formats.speech.spoken_text import plain_turns
from ascertain.documents.formats.speech.turns import build_transcript
from ascertain.language.word_lists import load_pattern

_NUMBER = r"(?:(?:\d{1,2}(?:\.\d{1,2}){0,3}|[IVX]{1,5}|[A-H])[.)]?\s+)?"
_NAMES = load_pattern("paper_sections", "recognised")
_KNOWN = re.compile(rf"{_NUMBER}(?:{_NAMES})\s*:?", re.IGNORECASE)
_REFERENCES = re.compile(rf"{_NUMBER}{load_pattern('paper_sections', 'references')}\s*:?", re.IGNORECASE)
_ABSTRACT = re.compile(rf"{_NUMBER}(?:abstract|summary)\s*:?", re.IGNORECASE)
_RUN_IN = re.compile(r"(abstract|summary|keywords|index terms)\s*[—–:.-]+\s*\S", re.IGNORECASE)
_IDENTIFIED = re.compile(r"\bdoi\b|doi\.org/|\barxiv:", re.IGNORECASE)
_FIRST_LINE = re.compile(r"(?:\A|\n\n)(\S[^\n]*)")
_LONGEST_NAME = 200
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
    """The text of the file as a tree, or its speaker turns."""
    source = text_of(file)
    text = clean_text(source)
    if chat := read_chat(text):
        yield chat
        return
    turns = plain_turns(text)
    yield build_transcript(turns) if turns else read_prose(source)


def read_prose(source: str) -> Extracted:
    """The blocks of a plain text. In one that has lines which are nothing but the names of a paper's sections, these are headings.

    Its title is a first heading that is the only one of its level.
    """
    body, furniture = cut_furniture(source)
    text = clean_text(body)
    named = sum(is_section_name(line) for line in (each[:_LONGEST_NAME].strip() for each in _FIRST_LINE.findall(text)))
    draft = Draft()
    reader = PlainReader(draft, is_section_name if named >= _MIN_SECTIONS else nothing_known)
    reader.read(text)
    if furniture:
        draft.leave_sections()
        for line in furniture:
            draft.add(line, kind=BlockKind.FURNITURE)
    prose, blocks = draft.finish()
    first = reader.first_heading
    is_only = (
        first is not None and [each.level for each in blocks if each.kind is BlockKind.HEADING].count(first[1]) == 1
    )
    return Extracted(prose, first[0] if first and is_only and first[1] == 1 else None, blocks=blocks)
