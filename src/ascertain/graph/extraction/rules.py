"""Reading names out of documents by rules alone: no model, no network, no tagger."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from ascertain.core.chunks import Chunk
from ascertain.core.graph import DocumentGraph, Mention, Name, Role
from ascertain.core.profiles import Profile
from ascertain.core.spans import Span
from ascertain.graph.extraction.capitals import document_words, names_of
from ascertain.graph.extraction.words import Reading, read_chunk, speakers_of
from ascertain.graph.keys import key_of
from ascertain.graph.names import without_qualifier

_LONGEST_TITLE = 120
"""Characters; a longer title is a sentence and names nothing as a whole."""


class RuleExtractor:
    """Names by their capitals, terms by their recurrence, kinds, aliases and relations by the words around them."""

    def __init__(self, profiles: Mapping[str, Profile] | None = None) -> None:
        """``profiles`` are those of the chunks, by name; of others the kinds stay unknown."""
        self._profiles = dict(profiles or {})

    @property
    def name(self) -> str:
        """Changes with what the rules find, so that a graph that older ones read is read again."""
        return "rules-1"

    def extract(self, documents: Iterable[tuple[str, Sequence[Chunk]]]) -> Iterator[DocumentGraph]:
        """One graph for each document, in order, lazily."""
        for content_hash, chunks in documents:
            yield self._graph(content_hash, chunks)

    def _graph(self, content_hash: str, chunks: Sequence[Chunk]) -> DocumentGraph:
        first = chunks[0]
        speakers = speakers_of(chunks)
        readings = [read_chunk(chunk, speakers) for chunk in chunks]
        known = document_words(readings)
        mentions: dict[Mention, None] = {}
        for reading in readings:
            for mention in (*_titles(reading), *_speakers(reading)):
                mentions.setdefault(mention)
            chunk = reading.chunk
            for sentence in reading.sentences:
                for span in names_of(chunk.text, sentence, known):
                    mentions.setdefault(_mention(chunk, span, sentence.span))
        return DocumentGraph(
            document_id=first.document_id,
            version=f"{content_hash}:{self.name}",
            chunk_ids=tuple(chunk.id for chunk in chunks),
            mentions=tuple(mentions),
            conversation_id=first.conversation_id,
            tenant=first.tenant,
        )


def _mention(chunk: Chunk, span: Span, sentence: Span) -> Mention:
    written = span.of(chunk.text)
    return Mention(
        Name(key_of(written), written),
        chunk.id,
        span.shift(chunk.span.start),
        sentence.shift(chunk.span.start),
    )


def _titles(reading: Reading) -> Iterator[Mention]:
    """The title of the document, as each of its chunks has it."""
    chunk = reading.chunk
    title = without_qualifier(chunk.title)
    if title and len(title) <= _LONGEST_TITLE and (key := key_of(title)):
        yield Mention(Name(key, title), chunk.id, chunk.span, chunk.span, Role.TITLE)


def _speakers(reading: Reading) -> Iterator[Mention]:
    chunk = reading.chunk
    for turn in reading.turns:
        if key := key_of(turn.speaker):
            span = turn.span.shift(chunk.span.start)
            yield Mention(Name(key, turn.speaker, "Person"), chunk.id, span, span, Role.SPEAKER)
