"""The sentences of a document, none across the edge of a speaker's turn or a section."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from ascertain.core.documents import Document, RegionKind
from ascertain.core.sentences import split_sentences
from ascertain.core.spans import Span

MARGIN = 700
"""Characters looked at on either side of a stretch, more than a sentence can have, so that cut sentences are seen whole."""


def sentences_touching(document: Document, stretch: Span) -> Iterator[Span]:
    """Sentences of ``document`` that overlap ``stretch``, whole and in order."""
    length = len(document.text)
    start, end = max(0, stretch.start - MARGIN), min(length, stretch.end + MARGIN)
    for piece in _pieces(document, Span(start, end)):
        for sentence in split_sentences(piece.of(document.text)):
            span = sentence.shift(piece.start)
            cut = (span.start == start > 0) or (span.end == end < length)
            if span.overlap(stretch) and not (cut and not stretch.contains(span)):
                yield span


def _pieces(document: Document, window: Span) -> Iterator[Span]:
    """``window`` cut at the edges of turns and sections, and behind the name of the speaker that opens a turn."""
    edges = {window.start, window.end}
    for region in document.regions:
        if region.kind is RegionKind.PAGE or not region.span.overlap(window):
            continue
        name = f"{region.place.speaker}: "
        opening = len(name) if document.text.startswith(name, region.span.start) else 0
        edges.update(e for e in (*region.span, region.span.start + opening) if window.start < e < window.end)
    ordered = sorted(edges)
    return (Span(a, b) for a, b in pairwise(ordered))
