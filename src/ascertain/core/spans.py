"""Character spans.

A span is the half-open interval ``[start, end)`` of Unicode code points in a document's text.
"""

from __future__ import annotations

from typing import NamedTuple


class Span(NamedTuple):
    """``[start, end)`` in code points; ``text[span.start:span.end]`` is what it covers."""

    start: int
    end: int

    @property
    def length(self) -> int:
        """Number of code points covered."""
        return self.end - self.start

    def of(self, text: str) -> str:
        """The characters of ``text`` under this span."""
        return text[self.start : self.end]

    def shift(self, offset: int) -> Span:
        """The same interval moved right by ``offset`` code points."""
        return Span(self.start + offset, self.end + offset)

    def overlap(self, other: Span) -> int:
        """Number of code points both spans cover."""
        return max(0, min(self.end, other.end) - max(self.start, other.start))

    def contains(self, other: Span) -> bool:
        """Whether ``other`` lies wholly inside this span."""
        return self.start <= other.start and other.end <= self.end
