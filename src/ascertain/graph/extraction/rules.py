"""Reading the graph out of documents by rules: no model, no network, no tagger. Names may come from a recogniser besides."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple, Protocol

from ascertain.core.chunks import Chunk
from ascertain.core.graph import DocumentGraph
from ascertain.core.settings.profiles import Profile
from ascertain.core.spans import Span
from ascertain.graph.extraction.assembling import assembled
from ascertain.graph.extraction.finding import Marks, found_in
from ascertain.graph.extraction.found import Found
from ascertain.graph.extraction.recalled import KnownNames, names_of_document, names_of_profile
from ascertain.graph.extraction.terms import document_terms
from ascertain.graph.extraction.titles import LONGEST_TITLE, title_forms, title_name
from ascertain.graph.extraction.trimming import document_words
from ascertain.graph.extraction.words import Reading, read_chunk, sentence_of, speakers_of

RULES = "rules-1"
"""Changes with what the rules find, so that a graph that older ones read is read again."""

ProfileOf = Callable[[str], Profile | None]
"""The profile of a name; None when it is not known."""


class Recognised(NamedTuple):
    """A name that a model found: where in the text, and its general kind (``kinds``), "" when it is of none."""

    span: Span
    kind: str


class Recogniser(Protocol):
    """A model that finds names in texts."""

    def names(self, texts: Sequence[str]) -> list[list[Recognised]]:
        """The names in each text. The same texts, given together, have the same names."""
        ...


class RuleExtractor:
    """Names by their capitals, terms by their recurrence, kinds, aliases and relations by the words around them."""

    def __init__(
        self, profile_of: ProfileOf | None = None, recogniser: Recogniser | None = None, name: str = RULES
    ) -> None:
        """``profile_of`` gives the profile of a chunk; without it kinds stay unknown and aliases are those of the text."""
        self._profile_of = profile_of
        self._recogniser = recogniser
        self._name = name
        self._listed: dict[str, tuple[Profile | None, KnownNames]] = {}

    @property
    def name(self) -> str:
        """What tells its results from those of another extractor, or of an earlier version of this one."""
        return self._name

    def extract(self, documents: Iterable[tuple[str, Sequence[Chunk]]]) -> Iterator[DocumentGraph]:
        """One graph for each document, in order, lazily."""
        for content_hash, chunks in documents:
            yield self.read(content_hash, chunks)

    def read(self, content_hash: str, chunks: Sequence[Chunk]) -> DocumentGraph:
        """What one document says; at least one chunk."""
        speakers = speakers_of(chunks)
        readings = [read_chunk(chunk, speakers) for chunk in chunks]
        profile = self._profile_of(chunks[0].profile) if self._profile_of else None
        marks = Marks(
            document_words(readings),
            document_terms(readings),
            title_forms(chunks[0].title),
            self._listed_in(profile),
        )
        # The chunks of one document at a time: what is read with them must make no difference.
        recognised = (
            self._recogniser.names([chunk.text for chunk in chunks])
            if self._recogniser
            else [list[Recognised]() for _ in chunks]
        )
        found = [
            [found_in(reading, sentence, marks, names) for sentence in reading.sentences]
            for reading, names in zip(readings, recognised, strict=True)
        ]
        _recall(readings, found, marks)
        in_title = _in_title(readings[0], found, marks)
        return assembled(f"{content_hash}:{self._name}", readings, found, in_title, profile)

    def _listed_in(self, profile: Profile | None) -> KnownNames:
        """The names of a profile, read from it once."""
        name = profile.name if profile else ""
        listed = self._listed.get(name)
        if listed is None or listed[0] is not profile:
            listed = self._listed[name] = profile, names_of_profile(profile)
        return listed[1]


def _in_title(reading: Reading, found: Sequence[list[list[Found]]], marks: Marks) -> list[Found]:
    """The names in the title of a document, read like a sentence of it."""
    title = reading.chunk.title
    sentence = sentence_of(title[:LONGEST_TITLE])
    if sentence is None or title_name(title):
        return []
    known = names_of_document(name for sentences in found for names in sentences for name in names)
    as_text = Reading(replace(reading.chunk, text=title), (sentence,), ())
    return found_in(as_text, sentence, marks, (), known)


def _recall(readings: Sequence[Reading], found: Sequence[list[list[Found]]], marks: Marks) -> None:
    """Look again at the sentences in which capitals say nothing, with the names of the others."""
    uncased = [
        (reading, place, sentences)
        for reading, sentences in zip(readings, found, strict=True)
        for place, sentence in enumerate(reading.sentences)
        if not sentence.is_cased
    ]
    if uncased:
        known = names_of_document(name for sentences in found for sentence in sentences for name in sentence)
        for reading, place, sentences in uncased:
            sentences[place] = found_in(reading, reading.sentences[place], marks, (), known)
