"""Candidate sentences: the whole sentences that the retrieved passages touch."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ascertain.answering.question import Question, mentions_identifier
from ascertain.core.answers import Decision
from ascertain.core.documents import Document, Span
from ascertain.core.passages import Passage
from ascertain.language.instructions import instruction_spans
from ascertain.language.sentences import is_fragment, sentences_touching
from ascertain.language.tokens import WORD, content_terms


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


def gather_candidates(passages: Sequence[Passage], document: Callable[[str], Document | None]) -> Gathered:
    """Sentences of ``passages`` (best first), each once, under the best passage that holds it.

    A passage whose document is gone, or no longer reads as the passage does, is skipped with a decision; so are
    sentences that read like instructions to a model, which are evidence of nothing.
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
            reason = "its document is no longer stored" if stored is None else "its document has changed since"
            decisions.append(Decision("compose", "passage skipped", f"{passage.chunk.id}: {reason}"))
            continue
        used.append(index)
        fresh = [s for s in sentences_touching(stored, passage.chunk.span) if (key, s) not in seen]
        seen.update((key, span) for span in fresh)
        honest = _without_orders(stored, passage.chunk.span, fresh)
        candidates.extend(_build_candidate(stored, span, index) for span in honest)
        if len(honest) < len(fresh):
            reason = f"{passage.chunk.id}: {len(fresh) - len(honest)} read like instructions to a model"
            decisions.append(Decision("compose", "sentences skipped", reason))
    return Gathered(tuple(candidates), tuple(used), tuple(decisions))


def collapse_spaces(text: str) -> str:
    """``text`` with every run of white space made one space, none at the ends."""
    return " ".join(text.split())


def count_noun(number: int, noun: str) -> str:
    """``1 document``, ``1,200 documents``."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def _without_orders(document: Document, chunk: Span, sentences: Sequence[Span]) -> list[Span]:
    """``sentences`` of the passage under ``chunk`` that touch nothing that reads like instructions to a model."""
    orders = [span.shift(chunk.start) for span in instruction_spans(chunk.of(document.text))]
    return [s for s in sentences if not any(s.overlap(order) for order in orders)]


def _build_candidate(document: Document, span: Span, passage: int) -> Candidate:
    text = collapse_spaces(span.of(document.text))
    return Candidate(document, span, text, content_terms(text), passage, is_fragment(text))


# A person who asks about error TP-4107 is not helped by what is known of TP-4120, however alike the two sentences read.

PENALTY = 8.0
"""Log-odds taken from a sentence that is not about the code asked for: more than any other sign can make up for."""
UNNAMED = 0.6
"""Factor on the confidence when a name of the question stands in none of the passages."""


def find_unmentioned_codes(codes: Sequence[str], passages: Sequence[Passage]) -> tuple[str, ...]:
    """The codes that no passage holds in its text or heading."""
    return tuple(
        code for code in codes if not any(mentions_identifier(passage.chunk.indexed_text, code) for passage in passages)
    )


def is_about(candidate: Candidate, codes: Sequence[str]) -> bool:
    """Whether the sentence, or the heading of its section, holds one of the codes."""
    section = " ".join(candidate.document.place_of(candidate.span).section)
    return any(mentions_identifier(candidate.text, code) or mentions_identifier(section, code) for code in codes)


def find_missing_names(question: Question, passages: Sequence[Passage]) -> tuple[str, ...]:
    """Names of the question, as written there, that stand in no passage."""
    read = set[str]().union(*(content_terms(passage.chunk.indexed_text) for passage in passages))
    return tuple(
        dict.fromkeys(
            word
            for word in WORD.findall(question.text)
            if not any(c.isdigit() for c in word)
            for term in content_terms(word)
            if term in question.specifics and term not in read
        )
    )
