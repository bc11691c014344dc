"""Context expansion: a passage with its neighbours, or its parent, within a token budget.

A chunk is cut small so that it is found; the sentence that answers may stand just outside it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from ascertain.core.chunks import Chunk
from ascertain.core.passages import Passage
from ascertain.core.spans import Span
from ascertain.stores.ports import CompleteStore

CHARACTERS_PER_TOKEN = 4
"""Rule of thumb for English text, good enough for a budget."""


def with_neighbours(
    store: CompleteStore, passages: Sequence[Passage], *, neighbours: int, budget_tokens: int
) -> list[Passage]:
    """The passages, best first, each widened by its neighbouring chunks while the budget lasts.

    Every passage keeps at least its own text. A passage whose text a better one already covers is left out, one that
    overlaps a better one's context is not widened into it twice. ``text`` stays the exact slice of the document.
    """
    return _expanded(
        store, passages, budget_tokens, lambda chunk: store.neighbours(chunk.id, neighbours, neighbours)
    )


def with_parents(store: CompleteStore, passages: Sequence[Passage], *, budget_tokens: int) -> list[Passage]:
    """The passages, best first, each widened to its parent chunk while the budget lasts, as ``with_neighbours`` does."""
    return _expanded(
        store, passages, budget_tokens, lambda chunk: store.get([chunk.parent_id]) if chunk.parent_id else []
    )


def _expanded(
    store: CompleteStore,
    passages: Sequence[Passage],
    budget_tokens: int,
    around: Callable[[Chunk], Sequence[Chunk]],
) -> list[Passage]:
    left = budget_tokens * CHARACTERS_PER_TOKEN - sum(len(passage.chunk.text) for passage in passages)
    covered: dict[str, list[Span]] = {}
    expanded: list[Passage] = []
    for passage in passages:
        chunk = passage.chunk
        taken = covered.setdefault(chunk.document_id, [])
        if any(span.contains(chunk.span) for span in taken):
            left += len(chunk.text)
            continue
        wider = _widened(store, chunk, around(chunk), taken)
        growth = len(wider.text) - len(chunk.text)
        if growth > left:
            wider, growth = chunk, 0
        left -= growth
        taken.append(wider.span)
        expanded.append(replace(passage, chunk=wider))
    return expanded


def _widened(store: CompleteStore, chunk: Chunk, around: Sequence[Chunk], taken: Sequence[Span]) -> Chunk:
    start, end = chunk.span
    for other in around:
        if not any(span.overlap(other.span) for span in taken):
            start, end = min(start, other.span.start), max(end, other.span.end)
    document = store.document(chunk.document_id) if (start, end) != chunk.span else None
    if document is None:
        return chunk
    span = Span(start, end)
    return replace(chunk, span=span, text=span.of(document.text), place=document.place_of(span))
