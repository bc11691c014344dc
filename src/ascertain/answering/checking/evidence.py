"""What a sentence of an answer is judged against: everything it cites, each as its reader sees it, and the question."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime

from ascertain.core.asking.answers import Citation, Form
from ascertain.core.asking.passages import Passage
from ascertain.core.documents.blocks import Span
from ascertain.core.documents.documents import Chunk, Document
from ascertain.language.instructions import without_instructions
from ascertain.language.languages import ENGLISH
from ascertain.language.sentences import split_sentences

AROUND = 2
"""Sentences on either side of a quote that are read with it: they contain what its pronouns refer to."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """A quotation with its surroundings and headings.

    ``text`` is the quote with the sentences around it in its passage; ``passage`` is all of that, where it is known.
    ``section`` is the path of headings below the title, outermost first. Nothing here names a user's file.
    """

    quote: str
    text: str
    title: str = ""
    section: tuple[str, ...] = ()
    speaker: str = ""
    published_at: datetime | None = None
    page: int | None = None
    author: str = ""
    passage: str = ""

    @property
    def context(self) -> str:
        """The context above the text, a line each: title, section, speaker, author, date."""
        lines = (self.title, " › ".join(self.section), self.speaker, self.author, spell_date(self.published_at))
        return "\n".join(line for line in lines if line)

    @property
    def premise(self) -> str:
        """The text under its context, each line of which is a sentence by itself."""
        return "\n\n".join(part for part in (self.context.replace("\n", "\n\n"), self.text) if part)


@dataclass(frozen=True, slots=True)
class Statement:
    """A sentence of an answer without its citation marks, everything it cites, and the question with its language.

    ``sentence`` is its index in the answer; ``form`` its form there: code is not a sentence and is never split.
    """

    text: str
    sentence: int
    evidence: tuple[Evidence, ...]
    question: str = ""
    language: str = ENGLISH
    form: Form = Form.TEXT
    cells: str = ""
    """Of a row, the content of its cells: the names of its columns are the writer's own words."""
    shown: tuple[str, ...] = ()
    """All texts that the answer was written from, cited here or not."""

    @property
    def quote(self) -> str:
        """Everything it quotes, as one text."""
        return " ".join(dict.fromkeys(each.quote for each in self.evidence))

    @property
    def premise(self) -> str:
        """All its evidence as one text."""
        return "\n\n".join(dict.fromkeys(each.premise for each in self.evidence))


def spell_date(date: datetime | None) -> str:
    """``Thursday, 12 June 2025``; empty for None."""
    return f"{date:%A}, {date.day} {date:%B} {date.year}" if date else ""


def list_shown(passages: Sequence[Passage]) -> tuple[str, ...]:
    """The texts of ``passages`` without instructions to a model."""
    return tuple(dict.fromkeys(without_instructions(passage.chunk.indexed_text) for passage in passages))


def gather_cited(
    citation: Citation, passages: Sequence[Passage], document: Callable[[str], Document | None]
) -> Evidence:
    """The evidence of ``citation``: around its quote in the passage that holds it, or else in the stored document.

    An instruction to a model in a source is left out: it is not evidence, least of all for what it demands.
    """
    place = citation.place
    passage = _find_passage(citation, passages)
    return Evidence(
        quote=without_instructions(citation.quote),
        text=without_instructions(_widen_citation(citation, passage, document)),
        title=without_instructions(citation.title),
        section=tuple(without_instructions(heading) for heading in place.section if heading != citation.title),
        speaker=place.speaker or "",
        published_at=citation.published_at,
        page=place.page,
        author=without_instructions(passage.author or "") if passage else "",
        passage=without_instructions(passage.text) if passage else "",
    )


def _find_passage(citation: Citation, passages: Sequence[Passage]) -> Chunk | None:
    chunks = (passage.chunk for passage in passages)
    return next(
        (each for each in chunks if each.document_id == citation.document_id and each.span.contains(citation.span)),
        None,
    )


def _widen_citation(citation: Citation, passage: Chunk | None, document: Callable[[str], Document | None]) -> str:
    """The quote with the sentences around it; the quote alone where its text is no longer found."""
    if passage is not None:
        return _widen_span(passage.text, citation.span.shift(-passage.span.start))
    stored = document(citation.document_id)
    if stored is None or citation.span.of(stored.text) != citation.quote:
        return citation.quote
    return _widen_span(stored.text, citation.span)


def _widen_span(text: str, span: Span) -> str:
    sentences = split_sentences(text)
    touched = [i for i, sentence in enumerate(sentences) if sentence.overlap(span)]
    if not touched:
        return span.of(text)
    first, last = max(0, touched[0] - AROUND), min(len(sentences) - 1, touched[-1] + AROUND)
    return text[sentences[first].start : sentences[last].end]
