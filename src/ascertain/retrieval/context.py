"""Context expansion: a passage with its neighbours, or its parent, within a token budget.

A chunk is cut small so that it is found; the sentence that answers may stand just outside it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ascertain.core.chunks import Chunk
from ascertain.core.documents import Document
from ascertain.core.passages import Passage
from ascertain.core.spans import Span
from ascertain.stores.ports import ChunkStore

CHARACTERS_PER_TOKEN = 4
"""Rule of thumb for English text, good enough for a budget."""


def expand_context(
    store: ChunkStore, passages: Sequence[Passage], *, neighbours: int, budget_tokens: int
) -> list[Passage]:
    """The passages, best first, each widened by its neighbouring chunks while the budget lasts.

    Every passage keeps at least its own text. A passage whose text a better one already covers is left out, one that
    overlaps a better one's context is not widened into it twice. ``text`` stays the exact slice of the document.
    """
    left = budget_tokens * CHARACTERS_PER_TOKEN - sum(len(passage.chunk.text) for passage in passages)
    covered: dict[str, list[Span]] = {}
    expanded: list[Passage] = []
    for passage in passages:
        chunk = passage.chunk
        taken = covered.setdefault(chunk.document_id, [])
        if any(span.contains(chunk.span) for span in taken):
            left += len(chunk.text)
            continue
        wider = _widened(store, chunk, neighbours, taken) if neighbours else chunk
        growth = len(wider.text) - len(chunk.text)
        if growth > left:
            wider, growth = chunk, 0
        left -= growth
        taken.append(wider.span)
        expanded.append(replace(passage, chunk=wider))
    return expanded


def parents(store: ChunkStore, passages: Sequence[Passage]) -> list[Chunk]:
    """The parent chunks of the passages, each once, in the passages' order; a chunk without one stands for itself."""
    wanted = dict.fromkeys(passage.chunk.parent_id or passage.chunk.id for passage in passages)
    return store.get(list(wanted))


def _widened(store: ChunkStore, chunk: Chunk, neighbours: int, taken: Sequence[Span]) -> Chunk:
    document = store.document(chunk.document_id)
    if document is None:
        return chunk
    around = store.neighbours(chunk.id, neighbours, neighbours)
    start, end = chunk.span
    for other in around:
        if not any(span.overlap(other.span) for span in taken):
            start, end = min(start, other.span.start), max(end, other.span.end)
    return _slice(document, chunk, Span(start, end))


def _slice(document: Document, chunk: Chunk, span: Span) -> Chunk:
    return replace(chunk, span=span, text=span.of(document.text), place=document.place_of(span))
