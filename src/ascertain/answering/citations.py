"""Citations: the only place that builds them, so that none is ever shown unchecked."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from ascertain.answering.units.quotes import FEWEST_WORDS, locate_quote, locate_reworded, locate_row, nearest_sentence
from ascertain.core.asking.answers import AnswerSentence, Citation, Form
from ascertain.core.asking.passages import Passage
from ascertain.core.documents.blocks import Span
from ascertain.core.documents.documents import Document
from ascertain.core.errors import CitationError
from ascertain.language.folding import folded_text, is_invisible
from ascertain.language.instructions import instruction_spans, without_instructions
from ascertain.language.sentences import MAX_SENTENCE, cut_at_sentence
from ascertain.language.tables import label_row
from ascertain.language.tokens import WORD
from ascertain.models.prompts import as_data


def cite_span(
    number: int, document: Document, span: Span, quote: str | None = None, *, answer: Span | None = None
) -> Citation:
    """Citation ``number`` (from 1) of the characters of ``document`` under ``span``.

    ``quote`` is the text the caller expects there; it must equal ``document.text[span.start:span.end]`` exactly.
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


def label_entry(term: str, sentence: str) -> str:
    """A sentence of a definition for a reader who does not see its term: ``adm: Members may read the logs.``"""
    return f"{' '.join(term.split())}: {' '.join(sentence.split())}"


def tells_row(text: str, citations: Sequence[Citation]) -> bool:
    """Whether ``text`` is a row of a table that it cites with the header that it cites before it, or a sentence of a definition with its
    term.
    """
    return any(
        text in (label_row(header.quote, row.quote), label_entry(header.quote, row.quote))
        for header, row in pairwise(citations)
        if header.document_id == row.document_id and header.span.end <= row.span.start
    )


def quotes_code(sentence: AnswerSentence, citations: Sequence[Citation]) -> bool:
    """Whether ``sentence`` is code that one of ``citations`` contains as it is, up to white space and case."""
    code = "".join(folded_text(sentence.text).split())
    held = ("".join(folded_text(citation.quote).split()) for citation in citations)
    return sentence.form is Form.CODE and bool(code) and any(code in quote for quote in held)


_TERMINAL = re.compile(r"\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)?|(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]|\x1b[@-Z\\-_]?")
_IMAGE = re.compile(r"!\[[^\]]{0,1000}\](?:\([^)]{0,2000}\)|\[[^\]]{0,500}\])")
_LINK = re.compile(r"\[([^\]]{0,1000})\]\(\s*+<?([^)\s>]{0,2000}+)[^)]{0,2000}\)")
_LOADING_TAG = re.compile(
    r"</?(?:a|img|iframe|script|link|object|embed|video|audio|svg|style|form|meta|base)\b[^>]*>?", re.I
)
_ADDRESS = re.compile(
    r"\b(?:https?|ftp|file|wss?)://[^\s<>\"')\]]+|\b(?:javascript|vbscript|mailto):[^\s<>\"'\]]+|\bdata:[a-z]+/[^\s<>\"')\]]+"
    r"|\bwww\.[^\s<>\"')\]]+|\b(?:[a-z0-9-]{1,63}\.){1,20}[a-z]{2,63}/[^\s<>\"')\]]+",
    re.I,
)
_KEYS = re.compile(
    r"(?:(?<!\s)\s+)?[\[(]\s*S\d+(?:\s*[,;]\s*S?\d+)*\s*[\])]|(?:(?<!\s)\s+|(?<=[.!?\"”’)]))\[\d{1,3}(?:\s*,\s*\d{1,3})*\](?=[.!?]?\s*$)"
)
"""Marks of citations, ours and the writer's own; ``arr[0]`` is not one."""
_CALL = "\ue000"
"""Placeholder for the brackets of a call (``bind()``) while emptied brackets are removed."""
_BEFORE_STOP = re.compile(r"(?<!\s)\s+([.,;:!?]++)(?=\s|$)")
"""White space before marks that close something; ``.deb`` and ``!=`` begin a word."""


def shown_text(text: str, sources: Sequence[str]) -> str:
    """``text`` on one line, without terminal codes, invisible characters, images, tags that load something and citation
    marks (citations are numbered by us), and without addresses that are in none of ``sources``; a link keeps its
    label.
    """
    text = _LOADING_TAG.sub("", _IMAGE.sub("", _keep_printed(text).replace("()", _CALL)))

    def link_label(link: re.Match[str]) -> str:
        return f"{link[1]} ({link[2]})" if link[2] and _is_known(link[2], sources) else link[1]

    text = _drop_addresses(_LINK.sub(link_label, text), sources)
    text = re.sub(r"\(\s*\)", "", _KEYS.sub("", text)).replace(_CALL, "()")
    return _BEFORE_STOP.sub(r"\1", " ".join(text.split()))


def shown_code(text: str, sources: Sequence[str]) -> str:
    """Code with its lines and indents as written, without terminal codes, invisible characters, and addresses that stand in
    none of ``sources``.
    """
    lines = _drop_addresses(_keep_printed(text), sources).expandtabs(4).splitlines()
    return "\n".join(line.rstrip() for line in lines).strip("\n")


def _keep_printed(text: str) -> str:
    return "".join(c for c in _TERMINAL.sub("", text) if c.isspace() or not is_invisible(c))


def _drop_addresses(text: str, sources: Sequence[str]) -> str:
    return _ADDRESS.sub(lambda m: m[0] if _is_known(m[0].rstrip(".,;:!?"), sources) else "", text)


def _is_known(address: str, sources: Sequence[str]) -> bool:
    return any(address in source for source in sources)


SHOWN_CHARACTERS = 4000
"""Of one source: a parent chunk."""


@dataclass(frozen=True, slots=True)
class SourceText:
    """A passage whose text is in its stored document, and the key it is cited by."""

    key: str
    passage: Passage
    document: Document

    @property
    def shown(self) -> str:
        """The part of the passage's text shown to a model, without what reads like instructions."""
        return self.passage.chunk.text[:SHOWN_CHARACTERS]

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


def sources_as_data(sources: Sequence[SourceText], replaced: Collection[str] = ()) -> str:
    """Each source as a block, followed by the notes on it; without what reads like instructions to a model.

    Those of the documents ``replaced``, by id, say that another version is current.
    """
    return "\n".join(
        block for source in sources for block in _source_blocks(source, is_replaced=source.document.id in replaced)
    )


def _source_blocks(source: SourceText, *, is_replaced: bool) -> list[str]:
    chunk = source.passage.chunk
    date = chunk.published_at.date().isoformat() if chunk.published_at else "unknown"
    about = {"key": source.key, "title": without_instructions(chunk.title), "date": date}
    if chunk.place.label:
        about["place"] = without_instructions(chunk.place.label)
    if is_replaced:
        about["status"] = "replaced by another version"
    figure = source.document.figure_in(chunk.span)
    if figure is not None:
        about["figures"] = (
            f"what follows {figure.mark.strip()} is a model's description of a picture, not its author's words"
        )
    text = without_instructions(chunk.text)
    shown = cut_at_sentence(text, SHOWN_CHARACTERS)
    if shown != text:
        about["shown"] = f"the first {len(shown)} of {len(text)} characters"
    blocks = [as_data(shown, "source", about)]
    if source.passage.note:
        blocks.append(as_data(without_instructions(source.passage.note), "note", {"key": source.key}))
    return blocks


MOST = 4
"""Citations of one sentence; a model that cites everything cites nothing."""
LONGEST = 2 * MAX_SENTENCE
"""Characters of a quote; a single sentence does not rest on a longer one, and no one checks that at a glance."""


FEWEST_ELSEWHERE = 2
"""Fewest words of a quote that is searched for beyond the source it names."""


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
        """How many documents they come from."""
        return len({citation.document_id for citation in self._citations})

    def quote(self, number: int) -> str:
        """The stored words of citation ``number``."""
        return self._citations[number - 1].quote

    def cite(self, sentence: str, quotes: Sequence[tuple[str, str]], language: str) -> tuple[int, ...]:
        """Numbers of the citations that ``quotes`` (key and words) give ``sentence``; none when none is found.

        Words are searched for under their key, then in the other sources: verbatim, then as the cells of a row, then approximately
        (``quotes.locate_reworded``). Where they are not found, the sentence of the named source that says most of the same is
        cited; without a valid key there is none.
        """
        numbers: list[int] = []
        for key, words in quotes:
            named = self._sources.get(_read_key(key))
            spans = self._find_quote(named, words)
            if not spans and named is not None:
                spans = self._find_near(named, sentence, language)
            numbers.extend(self._number_citation(source, span) for source, span in spans)
        return tuple(dict.fromkeys(numbers))[:MOST]

    def cite_again(self, citation: Citation) -> int | None:
        """The number of a citation of an earlier draft; None where the sources do not contain its words."""
        for source in self._sources.values():
            chunk = source.passage.chunk
            if chunk.document_id == citation.document_id and chunk.span.contains(citation.span):
                return self._number_citation(source, citation.span.shift(-chunk.span.start))
        return None

    def _find_quote(self, named: SourceText | None, words: str) -> list[tuple[SourceText, Span]]:
        others = [source for source in self._sources.values() if source is not named]
        count = len(WORD.findall(words))
        for locate in (locate_quote, locate_row, locate_reworded):
            if named is not None and (spans := _locate_in(named, words, locate)):
                return spans
            elsewhere = [spans for source in others if (spans := _locate_in(source, words, locate))]
            # a few words found in several sources do not identify any of them
            if elsewhere and count >= (FEWEST_ELSEWHERE if len(elsewhere) == 1 else 2 * FEWEST_WORDS):
                return elsewhere[0]
        return []

    @staticmethod
    def _find_near(source: SourceText, sentence: str, language: str) -> list[tuple[SourceText, Span]]:
        near = nearest_sentence(sentence, source.shown, language)
        return [(source, span) for span in _drop_dishonest(source, (near,) if near else ())]

    def _number_citation(self, source: SourceText, span: Span) -> int:
        where = (source.document.id, span.shift(source.passage.chunk.span.start))
        if where not in self._numbers:
            self._numbers[where] = len(self._citations) + 1
            quote = span.of(source.passage.chunk.text)
            self._citations.append(cite_span(self._numbers[where], source.document, where[1], quote))
        return self._numbers[where]


def number_by_appearance(
    sentences: Sequence[AnswerSentence], citations: Sequence[Citation]
) -> tuple[tuple[AnswerSentence, ...], tuple[Citation, ...]]:
    """Both with the citations numbered from 1 as ``sentences`` cite them; without those that none does."""
    by_number = {citation.number: citation for citation in citations}
    cited = dict.fromkeys(number for sentence in sentences for number in sentence.citations)
    numbers = {old: new for new, old in enumerate(cited, 1)}
    return (
        tuple(replace(each, citations=tuple(numbers[number] for number in each.citations)) for each in sentences),
        tuple(replace(by_number[old], number=new) for old, new in numbers.items()),
    )


_KEY = re.compile(r"(?<![A-Z\d])S?(\d+)(?!\d)", re.I)


def _read_key(key: str) -> str:
    """``[s1]``, ``1`` and ``source S1`` as ``S1``."""
    number = _KEY.search(key)
    return f"S{number[1]}" if number else ""


def _locate_in(
    source: SourceText, words: str, locate: Callable[[str, str], Sequence[Span]]
) -> list[tuple[SourceText, Span]]:
    return [(source, span) for span in _drop_dishonest(source, locate(words, source.shown))]


def _drop_dishonest(source: SourceText, spans: Sequence[Span]) -> Iterator[Span]:
    """Without those that are too long, and those that overlap what reads like instructions to a model: not
    evidence.
    """
    for span in spans:
        if span.length <= LONGEST and not any(span.overlap(orders) for orders in source.instructions):
            yield span
