"""How the passage behind each citation was found: by the search, or by the knowledge graph, and then why (KG-3)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ascertain.answering.composition import Composition
from ascertain.core.answers import Citation
from ascertain.core.passages import Passage

GRAPH = "graph"


def with_origins(composition: Composition, passages: Sequence[Passage]) -> Composition:
    """``composition`` with ``Citation.origin``, ``explanation`` and ``way`` of the first of ``passages`` that the quote stands in."""
    return replace(
        composition, citations=tuple(_with_origin(each, passages) for each in composition.citations)
    )


def _with_origin(citation: Citation, passages: Sequence[Passage]) -> Citation:
    for passage in passages:
        chunk = passage.chunk
        if chunk.document_id == citation.document_id and chunk.span.overlap(citation.span):
            if passage.origin != GRAPH:
                return replace(citation, origin=passage.origin)
            return replace(citation, origin=passage.origin, explanation=passage.explanation, way=passage.way)
    return citation
