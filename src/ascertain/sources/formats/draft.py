"""Putting a document's text together while noting where each piece stands.

A reader sets ``page``, ``part``, ``section`` or begins a turn and adds pieces in reading order; the draft knows the exact
span of each piece, so the regions are right by construction.
"""

import re
from collections.abc import Hashable, Sequence
from itertools import groupby
from typing import NamedTuple

from ascertain.core.documents import Place, Region, RegionKind, Span

# Text is cleaned in pieces before they are put together, never in a finished document: what is stored is what a person
# would read, and every span stays exact.

_LINE_BREAKS = re.compile("\r\n?|[\x0b\x0c\x1c-\x1e\x85\u2028\u2029]")
# Controls, lone surrogates, non-characters, soft hyphens, zero-width and bidirectional marks: invisible, and they
# would stop "exam<soft hyphen>ple" from matching "example". Joiners (U+200C, U+200D) carry meaning and stay.
_INVISIBLE = re.compile(
    "[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\u00ad\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb"
    "\ufdd0-\ufdef\ufffe\uffff\ud800-\udfff]"
)
_WIDE_SPACES = re.compile("[\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]")
# The look-behind keeps long runs of spaces inside a line from being tried from each of their characters.
_TRAILING = re.compile(r"(?<![ \t])[ \t]+(?=\n|\Z)")
_BLANK_LINES = re.compile(r"\n{3,}")
_SPACES = re.compile(r"\s+")


def clean_text(text: str) -> str:
    """``text`` with unified line ends, no invisible characters, no trailing spaces, no runs of blank lines.

    Idempotent. Line breaks and indentation inside stay; surrounding blank lines and closing spaces go.
    """
    text = _LINE_BREAKS.sub("\n", text)
    text = _INVISIBLE.sub("", text)
    text = _WIDE_SPACES.sub(" ", text)
    text = _TRAILING.sub("", text)
    text = _BLANK_LINES.sub("\n\n", text)
    return text.strip("\n").rstrip()


def clean_line(text: str) -> str:
    """``text`` cleaned and on one line, with single spaces; for titles, names and headings."""
    return _SPACES.sub(" ", clean_text(text)).strip()


def short_line(text: object, limit: int = 300) -> str | None:
    """A cleaned line of at most ``limit`` characters, or None when nothing readable is left."""
    line = clean_line(text) if isinstance(text, str) else ""
    return line[:limit].rstrip() or None


_HEADING_LIMIT = 200


class _Mark(NamedTuple):
    """A piece of a draft and where it stands."""

    span: Span
    page: int | None
    section: tuple[str, ...]
    turn: tuple[int, Place] | None
    part: str | None


class Draft:
    """A growing text with places. ``page``, ``part`` and ``section`` hold for the pieces added after they are set."""

    def __init__(self) -> None:
        self.page: int | None = None
        self.part: str | None = None
        self.section: tuple[str, ...] = ()
        self._turn: tuple[int, Place] | None = None
        self._turns = 0
        self._parts: list[str] = []
        self._length = 0
        self._marks: list[_Mark] = []
        self._headings: list[tuple[int, str]] = []

    @property
    def length(self) -> int:
        """Code points so far."""
        return self._length

    def add(self, text: str, separator: str = "\n\n") -> None:
        """Append a piece, cleaned, after ``separator``; a piece with nothing readable is left out."""
        piece = clean_text(text)
        if not piece:
            return
        if self._parts and separator:
            self._parts.append(separator)
            self._length += len(separator)
        span = Span(self._length, self._length + len(piece))
        self._parts.append(piece)
        self._length = span.end
        self._marks.append(_Mark(span, self.page, self.section, self._turn, self.part))

    def enter_section(self, name: str, level: int) -> None:
        """Begin a section without adding its name to the text; it replaces its level and all deeper ones."""
        self._headings = [(above, heading) for above, heading in self._headings if above < level]
        self._headings.append((level, name[:_HEADING_LIMIT]))
        self.section = tuple(heading for _, heading in self._headings)

    def heading(self, text: str, level: int) -> None:
        """Begin a section whose first line is its heading."""
        line = clean_line(text)
        if line:
            self.enter_section(line, level)
            self.add(line)

    def turn(self, place: Place) -> None:
        """Begin a speaker turn, or a part of one with its own time."""
        self._turns += 1
        self._turn = (self._turns, place)

    def finish(self) -> tuple[str, tuple[Region, ...]]:
        """The text and its regions, sorted by kind and start."""
        pages = [(mark.span, mark.page, Place(page=mark.page)) for mark in self._marks if mark.page is not None]
        sections = [(mark.span, mark.section, Place(section=mark.section)) for mark in self._marks if mark.section]
        turns = [(mark.span, mark.turn[0], mark.turn[1]) for mark in self._marks if mark.turn]
        parts = [(mark.span, (mark.section, mark.part), Place(part=mark.part)) for mark in self._marks if mark.part]
        regions = (
            *_merge_marks(RegionKind.PAGE, pages),
            *_merge_marks(RegionKind.PART, parts),
            *_merge_marks(RegionKind.SECTION, self._close_gaps(sections)),
            *_merge_marks(RegionKind.TURN, turns),
        )
        return "".join(self._parts), regions

    def _close_gaps(
        self, sections: Sequence[tuple[Span, tuple[str, ...], Place]]
    ) -> list[tuple[Span, Hashable, Place]]:
        """Sections keyed so that a stretch outside any section ends the one before it."""
        outside = [mark.span.start for mark in self._marks if not mark.section]
        keyed: list[tuple[Span, Hashable, Place]] = []
        passed = 0
        for span, path, place in sections:
            while passed < len(outside) and outside[passed] < span.start:
                passed += 1
            keyed.append((span, (passed, path), place))
        return keyed


def _merge_marks(kind: RegionKind, marks: Sequence[tuple[Span, Hashable, Place]]) -> list[Region]:
    """One region for each run of pieces with the same key."""
    regions: list[Region] = []
    for _, group in groupby(marks, key=lambda mark: mark[1]):
        run = list(group)
        regions.append(Region(kind, Span(run[0][0].start, run[-1][0].end), run[0][2]))
    return regions
