"""From the names that were found to the graph of a document."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from ascertain.core.graph import AliasClaim, DocumentGraph, Mention, Name, Relation, Role
from ascertain.core.settings.profiles import Profile
from ascertain.core.spans import Span
from ascertain.graph.extraction.claims import alias_claim, claims_of
from ascertain.graph.extraction.found import Found
from ascertain.graph.extraction.kinds import PERSON, in_profile, kinds_of
from ascertain.graph.extraction.relations import relations_of
from ascertain.graph.extraction.short_names import short_names
from ascertain.graph.extraction.titles import title_name
from ascertain.graph.extraction.words import Reading
from ascertain.graph.keys import key_of


@dataclass
class _Graph:
    """What is said so far, each thing once and in the order in which it was met."""

    mentions: dict[Mention, None] = field(default_factory=dict[Mention, None])
    relations: dict[Relation, None] = field(default_factory=dict[Relation, None])
    aliases: dict[AliasClaim, None] = field(default_factory=dict[AliasClaim, None])


def assembled(
    version: str,
    readings: Sequence[Reading],
    found: Sequence[Sequence[Sequence[Found]]],
    in_title: Sequence[Found],
    profile: Profile | None,
) -> DocumentGraph:
    """The graph of one document: ``found`` holds the names of each sentence of each reading, ``in_title`` those in its title."""
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
        for mention in (*_titles(reading, in_title, kinds, profile), *_speakers(reading, profile)):
            graph.mentions.setdefault(mention)
        for sentence in sentences:
            for name in sentence:
                graph.mentions.setdefault(_mention(name, keys[name], kinds, profile))
                if name.key in full:
                    graph.aliases.setdefault(
                        alias_claim(name.key, keys[name], reading, name.span, full[name.key][1])
                    )
        for claim in claims[reading.chunk.id]:
            graph.aliases.setdefault(claim.alias_claim)
            for span, sentence in claim.unnamed:
                graph.mentions.setdefault(
                    _mentioned(reading, span, sentence, kinds.get(claim.alias_claim.key, ""), profile)
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


def _mention(name: Found, key: str, kinds: Mapping[str, str], profile: Profile | None) -> Mention:
    chunk = name.reading.chunk
    kind = in_profile(kinds.get(key, ""), name.written, profile)
    offset = chunk.span.start
    return Mention(
        Name(key, name.written, kind), chunk.id, name.span.shift(offset), name.sentence.span.shift(offset)
    )


def _mentioned(reading: Reading, span: Span, sentence: Span, kind: str, profile: Profile | None) -> Mention:
    """A mention of what nothing but a claim shows to be a name."""
    chunk = reading.chunk
    written = " ".join(span.of(chunk.text).split())
    name = Name(key_of(written), written, in_profile(kind, written, profile))
    return Mention(name, chunk.id, span.shift(chunk.span.start), sentence.shift(chunk.span.start))


def _titles(
    reading: Reading, in_title: Sequence[Found], kinds: Mapping[str, str], profile: Profile | None
) -> Iterator[Mention]:
    """What the title of the document names, as each of its chunks has it: one thing, or what a headline speaks of."""
    chunk = reading.chunk
    title = title_name(chunk.title)
    named = [(key_of(title), title)] if key_of(title) else [(name.key, name.written) for name in in_title]
    for key, written in named:
        name = Name(key, written, in_profile(kinds.get(key, ""), written, profile))
        yield Mention(name, chunk.id, chunk.span, chunk.span, Role.TITLE)


def _speakers(reading: Reading, profile: Profile | None) -> Iterator[Mention]:
    chunk = reading.chunk
    for turn in reading.turns:
        if key := key_of(turn.speaker):
            span = turn.span.shift(chunk.span.start)
            name = Name(key, turn.speaker, in_profile(PERSON, turn.speaker, profile) or PERSON)
            yield Mention(name, chunk.id, span, span, Role.SPEAKER)
