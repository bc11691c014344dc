"""Plain text; a transcript in it is recognised by its times and speakers."""

from __future__ import annotations

from collections.abc import Iterator

from ascertain.sources.cleaning import clean_text
from ascertain.sources.decoding import text_of
from ascertain.sources.extraction import Extracted, SourceFile
from ascertain.sources.spoken_text import plain_turns
from ascertain.sources.turns import transcript


def read_text(file: SourceFile) -> Iterator[Extracted]:
    """The file's text as it stands, cleaned."""
    text = clean_text(text_of(file))
    turns = plain_turns(text)
    yield transcript(turns) if turns else Extracted(text)
