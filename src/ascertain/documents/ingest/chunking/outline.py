"""The sections of a document, by which it is cut and its chunks are headed."""

import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

from ascertain.core.documents.blocks import BlockKind
from ascertain.core.documents.documents import Document, DocumentKind
from ascertain.language.word_lists import load_pattern

_LONGEST_HEADING = 300
"""Text between two sections that is no longer than this is taken for the heading of the second."""

_NAMES = load_pattern("paper_sections", "outline")
_HEADING_LINE = re.compile(
    r"^[ \t]*(?:#{1,6}[ \t]*)?(?:(?:\d{1,2}(?:\.\d{1,2})*|[IVX]{1,5})[.):]?[ \t]+)?"
    rf"(?P<name>{_NAMES})[ \t]*+[.:]?[ \t]*+$"
    r"|^[ \t]*(?P<abstract>abstract)[ \t]*[—–:.-]",
    re.IGNORECASE | re.MULTILINE,
)


@dataclass(frozen=True, slots=True)
class Section:
    """A section from ``start`` to the next one, its heading included; ``path`` is its heading path."""

    start: int
    path: tuple[str, ...]


def outline_document(document: Document) -> list[Section]:
    """The sections of a document in order, from its blocks; for a paper that has none, from lines that name one."""
    blocks = document.blocks_of(BlockKind.SECTION)
    sections: list[Section] = []
    end = 0
    for block in blocks:
        start = end if block.span.start - end <= _LONGEST_HEADING else block.span.start
        sections.append(Section(start, block.place.section))
        end = block.span.end
    if not blocks and document.kind is DocumentKind.PAPER:
        return [
            Section(match.start(), ((match["name"] or match["abstract"]).strip().capitalize(),))
            for match in _HEADING_LINE.finditer(document.text)
        ]
    return sections


def section_at(sections: Sequence[Section], position: int) -> tuple[str, ...]:
    """The heading path of the section that holds ``position``; empty before the first."""
    number = bisect_right(sections, position, key=lambda section: section.start)
    return sections[number - 1].path if number else ()


def main_starts(sections: Sequence[Section]) -> list[int]:
    """Where the main sections begin: those separated by the outermost heading that is not common to all."""
    depth = 0
    while len({section.path[: depth + 1] for section in sections if len(section.path) > depth}) == 1:
        depth += 1
    starts: list[int] = []
    current: tuple[str, ...] | None = None
    for section in sections:
        main = section.path[: depth + 1]
        if main != current:
            starts.append(section.start)
        current = main
    return starts
