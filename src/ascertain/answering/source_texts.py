"""The sources of a written answer: stored text under keys of a closed set, as a writing model is shown it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ascertain.core.documents import Document
from ascertain.core.passages import Passage
from ascertain.core.spans import Span
from ascertain.language.instructions import instruction_spans, without_instructions
from ascertain.models.prompts import as_data

SHOWN_CHARACTERS = 4000
"""Of one source: a parent chunk."""


@dataclass(frozen=True, slots=True)
class SourceText:
    """A passage whose text stands in its stored document, and the key it is cited by."""

    key: str
    passage: Passage
    document: Document

    @property
    def instructions(self) -> tuple[Span, ...]:
        """Where its text reads like instructions to a model, in characters of the passage; never cited."""
        return instruction_spans(self.passage.chunk.text)


def source_texts(
    passages: Sequence[Passage], document: Callable[[str], Document | None]
) -> tuple[SourceText, ...]:
    """Those of ``passages`` that can be quoted, under keys ``S1`` and so on."""
    found: list[SourceText] = []
    for passage in passages:
        stored = document(passage.chunk.document_id)
        if stored is not None and passage.chunk.span.of(stored.text) == passage.chunk.text:
            found.append(SourceText(f"S{len(found) + 1}", passage, stored))
    return tuple(found)


def sources_as_data(sources: Sequence[SourceText]) -> str:
    """Each source as a block, what was noted of it behind it; without what reads like instructions to a model."""
    return "\n".join(block for source in sources for block in _blocks(source))


def _blocks(source: SourceText) -> list[str]:
    chunk = source.passage.chunk
    date = chunk.published_at.date().isoformat() if chunk.published_at else "unknown"
    about = {"key": source.key, "title": without_instructions(chunk.title), "date": date}
    if chunk.place.label:
        about["place"] = without_instructions(chunk.place.label)
    blocks = [as_data(without_instructions(chunk.text)[:SHOWN_CHARACTERS], "source", about)]
    if source.passage.note:
        blocks.append(as_data(without_instructions(source.passage.note), "note", {"key": source.key}))
    return blocks
