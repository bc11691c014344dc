"""Candidate sentences: the whole sentences that the retrieved passages touch."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ascertain.core.answers import Decision
from ascertain.core.documents import Document
from ascertain.core.passages import Passage
from ascertain.core.spans import Span
from ascertain.language.instructions import instruction_spans
from ascertain.language.sentences import is_fragment, sentences_touching
from ascertain.language.tokens import content_terms


@dataclass(frozen=True, slots=True)
class Candidate:
    """One sentence of a stored document; ``span.of(document.text)`` is its exact quote."""

    document: Document
    span: Span
    text: str
    """The quote with runs of white space collapsed."""
    terms: tuple[str, ...]
    """Its content terms, in order."""
    passage: int
    """Index of the best passage that holds it."""
    is_fragment: bool
    """Whether it is a heading, a table row or another piece that does not read as a sentence."""


@dataclass(frozen=True, slots=True)
class Gathered:
    """Candidates by passage and, within one, in text order; and what was left out."""

    candidates: tuple[Candidate, ...]
    used: tuple[int, ...]
    """Indexes of the passages whose text stands in a stored document as retrieved."""
    decisions: tuple[Decision, ...]


def gather(passages: Sequence[Passage], document: Callable[[str], Document | None]) -> Gathered:
    """Sentences of ``passages`` (best first), each once, under the best passage that holds it.

    A passage whose document is gone, or no longer reads as the passage does, is skipped with a decision; so are sentences that
    read like instructions to a model, which are evidence of nothing.
    """
    documents: dict[str, Document | None] = {}
    seen: set[tuple[str, Span]] = set()
    candidates: list[Candidate] = []
    used: list[int] = []
    decisions: list[Decision] = []
    for index, passage in enumerate(passages):
        key = passage.chunk.document_id
        if key not in documents:
            documents[key] = document(key)
        stored = documents[key]
        if stored is None or passage.chunk.span.of(stored.text) != passage.chunk.text:
            reason = (
                "its document is no longer stored" if stored is None else "its document has changed since"
            )
            decisions.append(Decision("compose", "passage skipped", f"{passage.chunk.id}: {reason}"))
            continue
        used.append(index)
        fresh = [s for s in sentences_touching(stored, passage.chunk.span) if (key, s) not in seen]
        seen.update((key, span) for span in fresh)
        honest = _without_orders(stored, passage.chunk.span, fresh)
        candidates.extend(_candidate(stored, span, index) for span in honest)
        if len(honest) < len(fresh):
            reason = f"{passage.chunk.id}: {len(fresh) - len(honest)} read like instructions to a model"
            decisions.append(Decision("compose", "sentences skipped", reason))
    return Gathered(tuple(candidates), tuple(used), tuple(decisions))


def collapsed(text: str) -> str:
    """``text`` with every run of white space made one space, none at the ends."""
    return " ".join(text.split())


def _without_orders(document: Document, chunk: Span, sentences: Sequence[Span]) -> list[Span]:
    """``sentences`` of the passage under ``chunk`` that do not touch what reads like instructions to a model in its text."""
    orders = [span.shift(chunk.start) for span in instruction_spans(chunk.of(document.text))]
    return [s for s in sentences if not any(s.overlap(order) for order in orders)]


def _candidate(document: Document, span: Span, passage: int) -> Candidate:
    text = collapsed(span.of(document.text))
    return Candidate(document, span, text, content_terms(text), passage, is_fragment(text))
