"""Places of chunks, looked up in logarithmic time: a long transcript has thousands of turns and chunks."""

from __future__ import annotations

from bisect import bisect_left, bisect_right

from ascertain.core.documents import Document, Place, Region, RegionKind
from ascertain.core.spans import Span


class Places:
    """The regions of one document, ready for look-up."""

    def __init__(self, document: Document) -> None:
        self._regions = {kind: document.regions_of(kind) for kind in RegionKind}
        self._ends = {
            kind: [region.span.end for region in regions] for kind, regions in self._regions.items()
        }
        self._starts = {
            kind: [region.span.start for region in regions] for kind, regions in self._regions.items()
        }

    def of(self, span: Span, section: tuple[str, ...]) -> Place:
        """The page and turn where ``span`` begins, and the time at which the last turn in it ends.

        Equal to ``Document.place_of`` where its first character lies in regions; a label before a turn counts as that turn.
        """
        page = self._first(RegionKind.PAGE, span)
        turn = self._first(RegionKind.TURN, span)
        if turn is None:
            return Place(page.place.page if page else None, section)
        return Place(
            page.place.page if page else None,
            section,
            turn.place.speaker,
            turn.place.start_time,
            self._end_time(span),
        )

    def _first(self, kind: RegionKind, span: Span) -> Region | None:
        number = bisect_right(self._ends[kind], span.start)
        regions = self._regions[kind]
        return regions[number] if number < len(regions) and regions[number].span.start < span.end else None

    def _end_time(self, span: Span) -> float | None:
        number = bisect_left(self._starts[RegionKind.TURN], span.end)
        return self._regions[RegionKind.TURN][number - 1].place.end_time if number else None
