"""Warnings on citations whose source holds text that reads like instructions to a model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ascertain.answering.composition import Composition
from ascertain.core.answers import Citation
from ascertain.core.passages import Passage
from ascertain.language.instructions import instruction_spans, instruction_warning

__all__ = ["instruction_spans", "instruction_warning", "with_warnings"]


def with_warnings(composition: Composition, passages: Sequence[Passage]) -> Composition:
    """``composition`` with ``Citation.warning`` set where the quote, or the passage it stands in, holds such text."""
    return replace(composition, citations=tuple(_warned(c, passages) for c in composition.citations))


def _warned(citation: Citation, passages: Sequence[Passage]) -> Citation:
    around = [
        passage.chunk.text
        for passage in passages
        if passage.chunk.document_id == citation.document_id and passage.chunk.span.overlap(citation.span)
    ]
    warnings = (instruction_warning(text) for text in (citation.quote, citation.title, *around))
    warning = next((line for line in warnings if line is not None), None)
    return citation if warning is None else replace(citation, warning=warning)
