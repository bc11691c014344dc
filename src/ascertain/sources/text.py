"""Plain text: as it stands, with the sections of papers; transcripts are recognised by their times and speakers."""

from __future__ import annotations

from collections.abc import Iterator

from ascertain.sources.cleaning import clean_text
from ascertain.sources.decoding import text_of
from ascertain.sources.draft import Draft
from ascertain.sources.extraction import Extracted, SourceFile
from ascertain.sources.papers import is_section_name
from ascertain.sources.spoken_text import plain_turns
from ascertain.sources.turns import transcript

_MIN_SECTIONS = 2


def read_text(file: SourceFile) -> Iterator[Extracted]:
    """The file's text, cleaned."""
    text = clean_text(text_of(file))
    turns = plain_turns(text)
    yield transcript(turns) if turns else _prose(text)


def _prose(text: str) -> Extracted:
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
    sectioned, regions = draft.finish()
    return Extracted(sectioned, regions=regions)
