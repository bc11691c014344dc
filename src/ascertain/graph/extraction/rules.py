"""Reading the graph out of documents by rules: no model, no network, no tagger. Names may come from a recogniser
besides.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple, Protocol

from ascertain.core.documents import Chunk, Span
from ascertain.core.graph import AliasClaim, DocumentGraph, Mention, Name, Relation, Role
from ascertain.core.settings.profiles import Profile
from ascertain.graph.extraction.aliases import alias_claim, claims_of, short_names
from ascertain.graph.extraction.capitals import document_words
from ascertain.graph.extraction.finding import (
    LONGEST_TITLE,
    KnownNames,
    Marks,
    found_in,
    names_of_document,
    names_of_profile,
    title_forms,
    title_name,
)
from ascertain.graph.extraction.kinds import PERSON, in_profile, kinds_of
from ascertain.graph.extraction.relations import relations_of
from ascertain.graph.extraction.terms import document_terms
from ascertain.graph.extraction.words import Found, Reading, read_chunk, sentence_of, speakers_of
from ascertain.graph.keys import key_of

RULES = "rules-1"
"""Changes with what the rules find, so that a graph that older ones read is read again."""
ProfileOf = Callable[[str], Profile | None]
"""The profile of a name; None when it is not known."""


@dataclass
class _Graph:
    """What is said so far, each thing once and in the order in which it was met."""

    mentions: dict[Mention, None] = field(default_factory=dict[Mention, None])
    relations: dict[Relation, None] = field(default_factory=dict[Relation, None])
    aliases: dict[AliasClaim, None] = field(default_factory=dict[AliasClaim, None])


def assemble_graph(
    version: str,
    readings: Sequence[Reading],
    found: Sequence[Sequence[Sequence[Found]]],
    in_title: Sequence[Found],
    profile: Profile | None,
) -> DocumentGraph:
    """The graph of one document: ``found`` holds the names of each sentence of each reading, ``in_title`` those in its
    title.
    """
    names = [name for sentences in found for sentence in sentences for name in sentence]
    kinds = kinds_of(names)
    speakers = {key_of(turn.speaker) for reading in readings for turn in reading.turns} - {""}
    kinds |= dict.fromkeys(speakers, PERSON)
    full = short_names(kinds, [name.key for name in names], speakers)
    keys = {name: full.get(name.key, (name.key, ""))[0] for name in names}
    claims = {
        reading.chunk.id: list(claims_of(reading, sentences, keys, profile))
        for reading, sentences in zip(readings, found, strict=True)
    }
    for each in (claim.alias_claim for own in claims.values() for claim in own):
        if kind := kinds.get(each.key):
            kinds.setdefault(each.alias, kind)
    graph = _Graph()
    for reading, sentences in zip(readings, found, strict=True):
        for mention in (*_title_mentions(reading, in_title, kinds, profile), *_speaker_mentions(reading, profile)):
            graph.mentions.setdefault(mention)
        for sentence in sentences:
            for name in sentence:
                graph.mentions.setdefault(_build_mention(name, keys[name], kinds, profile))
                if name.key in full:
                    graph.aliases.setdefault(alias_claim(name.key, keys[name], reading, name.span, full[name.key][1]))
        for claim in claims[reading.chunk.id]:
            graph.aliases.setdefault(claim.alias_claim)
            for span, sentence in claim.unnamed:
                graph.mentions.setdefault(
                    _mention_span(reading, span, sentence, kinds.get(claim.alias_claim.key, ""), profile)
                )
        subject = key_of(title_name(reading.chunk.title))
        graph.relations.update(dict.fromkeys(relations_of(sentences, keys, kinds, subject)))
    first = readings[0].chunk
    return DocumentGraph(
        document_id=first.document_id,
        version=version,
        chunk_ids=tuple(reading.chunk.id for reading in readings),
        mentions=tuple(graph.mentions),
        relations=tuple(graph.relations),
        aliases=tuple(graph.aliases),
        conversation_id=first.conversation_id,
        tenant=first.tenant,
    )


def _build_mention(name: Found, key: str, kinds: Mapping[str, str], profile: Profile | None) -> Mention:
    chunk = name.reading.chunk
    kind = in_profile(kinds.get(key, ""), name.written, profile)
    offset = chunk.span.start
    return Mention(Name(key, name.written, kind), chunk.id, name.span.shift(offset), name.sentence.span.shift(offset))


def _mention_span(reading: Reading, span: Span, sentence: Span, kind: str, profile: Profile | None) -> Mention:
    """A mention of what nothing but a claim shows to be a name."""
    chunk = reading.chunk
    written = " ".join(span.of(chunk.text).split())
    name = Name(key_of(written), written, in_profile(kind, written, profile))
    return Mention(name, chunk.id, span.shift(chunk.span.start), sentence.shift(chunk.span.start))


def _title_mentions(
    reading: Reading, in_title: Sequence[Found], kinds: Mapping[str, str], profile: Profile | None
) -> Iterator[Mention]:
    """What the title of the document names, as each of its chunks has it: one thing, or what a headline speaks of."""
    chunk = reading.chunk
    title = title_name(chunk.title)
    named = [(key_of(title), title)] if key_of(title) else [(name.key, name.written) for name in in_title]
    for key, written in named:
        name = Name(key, written, in_profile(kinds.get(key, ""), written, profile))
        yield Mention(name, chunk.id, chunk.span, chunk.span, Role.TITLE)


def _speaker_mentions(reading: Reading, profile: Profile | None) -> Iterator[Mention]:
    chunk = reading.chunk
    for turn in reading.turns:
        if key := key_of(turn.speaker):
            span = turn.span.shift(chunk.span.start)
            name = Name(key, turn.speaker, in_profile(PERSON, turn.speaker, profile) or PERSON)
            yield Mention(name, chunk.id, span, span, Role.SPEAKER)


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
            document_words(readings), document_terms(readings), title_forms(chunks[0].title), self._listed_in(profile)
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
        _recall_names(readings, found, marks)
        in_title = _in_title(readings[0], found, marks)
        return assemble_graph(f"{content_hash}:{self._name}", readings, found, in_title, profile)

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


def _recall_names(readings: Sequence[Reading], found: Sequence[list[list[Found]]], marks: Marks) -> None:
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
