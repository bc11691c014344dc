"""Reading the graph out of documents by rules alone: no model, no network, no tagger."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from ascertain.core.chunks import Chunk
from ascertain.core.graph import DocumentGraph
from ascertain.core.profiles import Profile
from ascertain.graph.extraction.assembling import assembled
from ascertain.graph.extraction.finding import found_in
from ascertain.graph.extraction.terms import document_terms
from ascertain.graph.extraction.titles import title_forms
from ascertain.graph.extraction.trimming import document_words
from ascertain.graph.extraction.words import read_chunk, speakers_of

ProfileOf = Callable[[str], Profile | None]
"""The profile of a name; None when it is not known."""


class RuleExtractor:
    """Names by their capitals, terms by their recurrence, kinds, aliases and relations by the words around them."""

    def __init__(self, profile_of: ProfileOf | None = None) -> None:
        """``profile_of`` gives the profile of a chunk; without it kinds stay unknown and aliases are those of the text."""
        self._profile_of = profile_of

    @property
    def name(self) -> str:
        """Changes with what the rules find, so that a graph that older ones read is read again."""
        return "rules-1"

    def extract(self, documents: Iterable[tuple[str, Sequence[Chunk]]]) -> Iterator[DocumentGraph]:
        """One graph for each document, in order, lazily."""
        for content_hash, chunks in documents:
            yield self._graph(content_hash, chunks)

    def _graph(self, content_hash: str, chunks: Sequence[Chunk]) -> DocumentGraph:
        speakers = speakers_of(chunks)
        readings = [read_chunk(chunk, speakers) for chunk in chunks]
        known = document_words(readings)
        terms = document_terms(readings)
        title = title_forms(chunks[0].title)
        found = [
            [found_in(reading, sentence, known, terms, title) for sentence in reading.sentences]
            for reading in readings
        ]
        profile = self._profile_of(chunks[0].profile) if self._profile_of else None
        return assembled(f"{content_hash}:{self.name}", readings, found, profile)
