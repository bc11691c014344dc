"""Citations: the only place that builds one, so that none is ever shown unchecked."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from ascertain.core.answers import Citation
from ascertain.core.blocks import Span
from ascertain.core.documents import Document
from ascertain.core.errors import CitationError
from ascertain.core.passages import Passage
from ascertain.language.folding import FoldedText, fold_text, is_invisible
from ascertain.language.instructions import instruction_spans, without_instructions
from ascertain.language.sentences import MAX_SENTENCE, split_sentences
from ascertain.language.tables import label_row
from ascertain.language.tokens import WORD, content_terms
from ascertain.models.prompts import as_data


def cite_span(
    number: int, document: Document, span: Span, quote: str | None = None, answer: Span | None = None
) -> Citation:
    """Citation ``number`` (from 1) of the characters of ``document`` under ``span``.

    ``quote`` is what the caller believes stands there; it must equal ``document.text[span.start:span.end]`` exactly.
    Without it, the characters under the span are the quote. The place is that of the first character. ``answer`` are
    the words that answer, in characters of the document too. Raises CitationError when the span is empty, blank or
    outside the text, when the quote differs, or when the answer is blank or outside the span.
    """
    where = f"{document.source}: [{span.start}, {span.end})"
    if not 0 <= span.start < span.end <= len(document.text):
        raise CitationError(f"{where} is not inside its {len(document.text)} characters; ingest it again.")
    stored = span.of(document.text)
    if quote is not None and quote != stored:
        raise CitationError(f"{where} reads {stored[:80]!r}, not the quoted {quote[:80]!r}; ingest it again.")
    if not stored.strip():
        raise CitationError(f"{where} holds white space only; there is nothing to quote.")
    if answer is not None and not (span.contains(answer) and answer.length > 0 and answer.of(document.text).strip()):
        raise CitationError(f"{where} does not hold the words [{answer.start}, {answer.end}) that are to answer.")
    return Citation(
        number=number,
        document_id=document.id,
        title=document.title,
        url=document.url,
        published_at=document.published_at,
        quote=stored,
        span=span,
        place=document.place_of(span),
        source=document.source,
        answer=answer,
        figure=document.figure_in(span),
    )


def tells_row(text: str, citations: Sequence[Citation]) -> bool:
    """Whether ``text`` is a row of a table that it cites, told with the header that it cites before it."""
    return any(
        label_row(header.quote, row.quote) == text
        for header, row in pairwise(citations)
        if header.document_id == row.document_id and header.span.end <= row.span.start
    )


_TERMINAL = re.compile(r"\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)?|(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]|\x1b[@-Z\\-_]?")
_IMAGE = re.compile(r"!\[[^\]]*\]\([^)]*\)|!\[[^\]]*\]\[[^\]]*\]")
_LINK = re.compile(r"\[([^\]]*)\]\(\s*<?([^)\s>]*)[^)]*\)")
_LOADING_TAG = re.compile(
    r"</?(?:a|img|iframe|script|link|object|embed|video|audio|svg|style|form|meta|base)\b[^>]*>?", re.I
)
_ADDRESS = re.compile(
    r"\b(?:https?|ftp|file|wss?)://[^\s<>\"')\]]+|\b(?:javascript|vbscript|mailto):[^\s<>\"'\]]+|\bdata:[a-z]+/[^\s<>\"')\]]+"
    r"|\bwww\.[^\s<>\"')\]]+|\b(?:[a-z0-9-]+\.)+[a-z]{2,}/[^\s<>\"')\]]+",
    re.I,
)
_KEYS = re.compile(r"\s*[\[(]\s*S\d+(?:\s*[,;]\s*S?\d+)*\s*[\])]|\s*\[\d{1,3}(?:\s*,\s*\d{1,3})*\](?=[.!?]?\s*$)")


def shown_text(text: str, sources: Sequence[str]) -> str:
    """``text`` on one line, without terminal codes, invisible characters, images, tags that load something and citation
    marks (citations are numbered by us), and without addresses that stand in none of ``sources``; a link keeps its
    label.
    """
    text = _TERMINAL.sub("", text)
    text = "".join(c for c in text if c.isspace() or not is_invisible(c))
    text = _LOADING_TAG.sub("", _IMAGE.sub("", text))

    def known(address: str) -> bool:
        return any(address in source for source in sources)

    text = _LINK.sub(lambda m: f"{m[1]} ({m[2]})" if m[2] and known(m[2]) else m[1], text)
    text = _ADDRESS.sub(lambda m: m[0] if known(m[0].rstrip(".,;:!?")) else "", text)
    text = re.sub(r"\(\s*\)", "", _KEYS.sub("", text))
    return re.sub(r"\s+([.,;:!?])", r"\1", " ".join(text.split()))


FEWEST_WORDS = 4
"""A shorter quote says too little by itself; the sentence around it is cited instead."""
ENOUGH_SHARED = 0.6
"""Share of a claim's content words that a sentence must hold to stand in for a quote that was not found."""
FEWEST_SHARED = 2

_ELISION = re.compile(r"\s*[\[(]?(?:\.\.\.+|…)[\])]?\s*")
_LINE_MARK = re.compile(r"(?:^|(?<=\n))\|[ \t]?")
"""What ``models.untrusted`` puts before each line; models copy it into quotes although they are told not to."""
_AROUND = " \t\r\n\"'“”‘’«»`*_"


def locate_quote(quote: str, text: str) -> tuple[Span, ...]:
    """Where ``quote`` stands in ``text``, one span for each part between elisions; empty when a part is not there.

    Character for character first; then whatever the case, white space, quotation marks, dashes, accents and invisible
    characters. Never inside a word. Parts of fewer than ``FEWEST_WORDS`` words are widened to their sentence.
    """
    parts = [part for piece in _ELISION.split(_LINE_MARK.sub("", quote)) if (part := piece.strip(_AROUND))]
    spans: list[Span] = []
    folded: FoldedText | None = None
    for part in parts:
        found = _first_whole(part, text)
        if found is None:
            folded = folded or _on_one_line(fold_text(text))
            needle = _on_one_line(fold_text(part)).text.strip()
            inside = _first_whole(needle, folded.text) if needle else None
            found = folded.original(inside) if inside else None
        if found is None:
            return ()
        spans.append(found)
    return tuple(_join_spans(text, (_trim_span(text, span) for span in spans)))


def nearest_sentence(claim: str, text: str) -> Span | None:
    """The sentence of ``text`` that shares most of the content words of ``claim``; None when none shares enough."""
    asked = set(content_terms(claim))
    best: tuple[float, Span] | None = None
    for span in split_sentences(text):
        shared = asked & set(content_terms(span.of(text)))
        share = len(shared) / len(asked) if asked else 0.0
        if len(shared) >= FEWEST_SHARED and share >= ENOUGH_SHARED and (best is None or share > best[0]):
            best = (share, span)
    return best[1] if best else None


def _first_whole(needle: str, text: str) -> Span | None:
    """The first occurrence that does not begin or end inside a word."""
    start = text.find(needle)
    while start >= 0:
        end = start + len(needle)
        before, after = text[start - 1 : start] + needle[:1], needle[-1:] + text[end : end + 1]
        if not any(len(edge) == 2 and edge.isalnum() for edge in (before, after)):
            return Span(start, end)
        start = text.find(needle, start + 1)
    return None


def _on_one_line(folded: FoldedText) -> FoldedText:
    return FoldedText(folded.text.replace("\n", " "), folded.origins)


def _trim_span(text: str, span: Span) -> Span:
    if len(WORD.findall(span.of(text))) >= FEWEST_WORDS:
        return span
    around = [sentence for sentence in split_sentences(text) if sentence.overlap(span)]
    return Span(min(span.start, around[0].start), max(span.end, around[-1].end)) if around else span


def _join_spans(text: str, spans: Iterator[Span]) -> Iterator[Span]:
    """In text order, those that touch or overlap made one."""
    ordered = sorted(set(spans))
    if not ordered:
        return
    start, end = ordered[0]
    for next_start, next_end in ordered[1:]:
        if next_start <= end:
            end = max(end, next_end)
        else:
            yield Span(start, end)
            start, end = next_start, next_end
    yield Span(start, end)


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


def source_texts(passages: Sequence[Passage], document: Callable[[str], Document | None]) -> tuple[SourceText, ...]:
    """Those of ``passages`` that can be quoted, under keys ``S1`` and so on."""
    found: list[SourceText] = []
    for passage in passages:
        stored = document(passage.chunk.document_id)
        if stored is not None and passage.chunk.span.of(stored.text) == passage.chunk.text:
            found.append(SourceText(f"S{len(found) + 1}", passage, stored))
    return tuple(found)


def sources_as_data(sources: Sequence[SourceText]) -> str:
    """Each source as a block, what was noted of it behind it; without what reads like instructions to a model."""
    return "\n".join(block for source in sources for block in _source_blocks(source))


def _source_blocks(source: SourceText) -> list[str]:
    chunk = source.passage.chunk
    date = chunk.published_at.date().isoformat() if chunk.published_at else "unknown"
    about = {"key": source.key, "title": without_instructions(chunk.title), "date": date}
    if chunk.place.label:
        about["place"] = without_instructions(chunk.place.label)
    figure = source.document.figure_in(chunk.span)
    if figure is not None:
        about["figures"] = (
            f"what follows {figure.mark.strip()} is a model's description of a picture, not its author's words"
        )
    blocks = [as_data(without_instructions(chunk.text)[:SHOWN_CHARACTERS], "source", about)]
    if source.passage.note:
        blocks.append(as_data(without_instructions(source.passage.note), "note", {"key": source.key}))
    return blocks


MOST = 4
"""Citations of one sentence; a model that names everything names nothing."""
LONGEST = 2 * MAX_SENTENCE
"""Characters of a quote; a longer one is not what a single sentence rests on, nor checked at a glance."""


class CitationList:
    """The numbered citations of one answer; the same words have one number."""

    def __init__(self, sources: Sequence[SourceText]) -> None:
        self._sources = {source.key: source for source in sources}
        self._numbers: dict[tuple[str, Span], int] = {}
        self._citations: list[Citation] = []

    @property
    def all(self) -> tuple[Citation, ...]:
        """In order of number, from 1."""
        return tuple(self._citations)

    @property
    def documents(self) -> int:
        """How many documents they are of."""
        return len({citation.document_id for citation in self._citations})

    def quote(self, number: int) -> str:
        """The stored words of citation ``number``."""
        return self._citations[number - 1].quote

    def cite(self, sentence: str, quotes: Sequence[tuple[str, str]]) -> tuple[int, ...]:
        """Numbers of the citations that ``quotes`` (key and words) give ``sentence``; none when none is found.

        Words are looked for under their key, then, when they are many enough to be no accident, in the other sources.
        Where they are nowhere, the sentence of the named source that says most of the same is cited. Unknown keys count
        for nothing.
        """
        numbers: list[int] = []
        for key, words in quotes:
            named = self._sources.get(key.strip().strip("[]()").upper())
            if named is None:
                continue
            for source, span in self._find_quote(named, words) or self._find_near(named, sentence):
                numbers.append(self._number_citation(source, span))
        return tuple(dict.fromkeys(numbers))[:MOST]

    def _find_quote(self, named: SourceText, words: str) -> list[tuple[SourceText, Span]]:
        others = [s for s in self._sources.values() if s is not named]
        wide = len(WORD.findall(words)) >= 2 * FEWEST_WORDS
        for source in (named, *(others if wide else ())):
            found = [(source, span) for span in _drop_dishonest(source, locate_quote(words, source.passage.chunk.text))]
            if found:
                return found
        return []

    @staticmethod
    def _find_near(source: SourceText, sentence: str) -> list[tuple[SourceText, Span]]:
        near = nearest_sentence(sentence, source.passage.chunk.text)
        return [(source, span) for span in _drop_dishonest(source, (near,) if near else ())]

    def _number_citation(self, source: SourceText, span: Span) -> int:
        where = (source.document.id, span.shift(source.passage.chunk.span.start))
        if where not in self._numbers:
            self._numbers[where] = len(self._citations) + 1
            quote = span.of(source.passage.chunk.text)
            self._citations.append(cite_span(self._numbers[where], source.document, where[1], quote))
        return self._numbers[where]


def _drop_dishonest(source: SourceText, spans: Sequence[Span]) -> Iterator[Span]:
    """Without those that are too long, and those that touch what reads like instructions to a model: evidence of
    nothing.
    """
    for span in spans:
        if span.length <= LONGEST and not any(span.overlap(orders) for orders in source.instructions):
            yield span
