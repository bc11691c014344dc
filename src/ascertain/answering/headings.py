"""What a heading or a title that a question names leads to: the opening of what stands under it says what the thing is."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ascertain.answering.candidates import Candidate
from ascertain.core.blocks import BlockKind
from ascertain.questions.keys import fold_key

FARTHEST_OPENING = 400
"""Characters behind a heading up to which a sentence opens its section: lines with a default or a type may stand before it."""
FEWEST_TERMS = 4
"""Content terms of a sentence that can say what something is: "See also: captures" does not."""
FARTHEST_BEHIND_TITLE = 1_000
"""The same behind a title: a table of contents or a synopsis may stand before what opens a document."""


def find_openings(subject: str, candidates: Sequence[Candidate]) -> set[int]:
    """The sentences that open a section headed by ``subject``, or a document of that title."""
    wanted = fold_key(subject)
    first: dict[tuple[str, tuple[str, ...]], int] = {}
    for i, each in enumerate(candidates):
        if each.is_fragment or len(set(each.terms)) < FEWEST_TERMS:
            continue
        for key in _list_named(each, wanted):
            if key not in first or each.span.start < candidates[first[key]].span.start:
                first[key] = i
    return set(first.values())


def _list_named(candidate: Candidate, wanted: tuple[str, ...]) -> Iterator[tuple[str, tuple[str, ...]]]:
    """The section, and the document, that ``candidate`` may open and whose name is ``wanted``."""
    document, start = candidate.document, candidate.span.start
    section = document.place_of(candidate.span).section
    if section and fold_key(section[-1]) == wanted and start - _find_heading_end(candidate) <= FARTHEST_OPENING:
        yield document.id, section
    if not candidate.is_block and start <= FARTHEST_BEHIND_TITLE and fold_key(document.title) == wanted:
        yield document.id, ()


def _find_heading_end(candidate: Candidate) -> int:
    start = candidate.span.start
    ends = (block.span.end for block in candidate.document.blocks_of(BlockKind.HEADING) if block.span.end <= start)
    return max(ends, default=0)
