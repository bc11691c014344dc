"""When a release was, by its heading in a changelog, or by the line right under it: "3.1.2 (2 September 2024)", "Released 2022-03-28"."""

from __future__ import annotations

from collections.abc import Iterator

from ascertain.answering.matching.kinds import offers_kind
from ascertain.answering.units.candidates import collapse_spaces
from ascertain.core.documents.blocks import BlockKind, Span
from ascertain.core.documents.documents import Document
from ascertain.language.languages import ENGLISH
from ascertain.questions.reading.kinds import AnswerKind

LONGEST_LINE = 60
"""Most characters of a line that only gives the date."""
_LOOKED_AT = 200
"""Characters after a heading among which such a line is searched for."""


def find_release_date(document: Document, section: tuple[str, ...]) -> tuple[Span, ...]:
    """The heading of ``section`` where it has a date, else the heading and the line under it that has one; empty where neither does."""
    headings = (block.span for block in document.blocks_of(BlockKind.HEADING))
    heading = next((span for span in headings if _read(document, span) == section[-1]), None)
    if heading is None:
        return ()
    if _has_date(_read(document, heading)):
        return (heading,)
    line = next((span for span in _list_lines(document, heading.end) if _has_date(_read(document, span))), None)
    return (heading, line) if line is not None else ()


def _list_lines(document: Document, start: int) -> Iterator[Span]:
    """The first short lines after ``start``, up to the first longer one."""
    stretch = document.text[start : start + _LOOKED_AT]
    for line in stretch.splitlines(keepends=True):
        bare = line.strip()
        if len(bare) > LONGEST_LINE:
            return
        if bare:
            begin = start + line.index(bare)
            yield Span(begin, begin + len(bare))
        start += len(line)


def _read(document: Document, span: Span) -> str:
    return collapse_spaces(span.of(document.text))


def _has_date(text: str) -> bool:
    return offers_kind(AnswerKind.TIME, text, frozenset(), ENGLISH)
