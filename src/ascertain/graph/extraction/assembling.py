"""From the names that were found to the graph of a document."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from ascertain.core.graph import AliasClaim, DocumentGraph, Mention, Name, Relation, Role
from ascertain.core.profiles import Profile
from ascertain.core.spans import Span
from ascertain.graph.extraction.abbreviations import abbreviations
from ascertain.graph.extraction.found import Found
from ascertain.graph.extraction.kinds import PERSON, in_profile, kinds_of
from ascertain.graph.extraction.other_names import ABBREVIATION, ALIAS_TABLE, also_known_as
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
    profile: Profile | None,
) -> DocumentGraph:
    """The graph of one document: ``found`` holds the names of each sentence of each reading."""
    names = [name for sentences in found for sentence in sentences for name in sentence if name.key]
    kinds = kinds_of(names)
    speakers = {key_of(turn.speaker) for reading in readings for turn in reading.turns} - {""}
    kinds |= dict.fromkeys(speakers, PERSON)
    full = short_names(kinds, [name.key for name in names], speakers)
    keys = {name: full.get(name.key, (name.key, ""))[0] for name in names}
    graph = _Graph()
    for reading, sentences in zip(readings, found, strict=True):
        for mention in (*_titles(reading, kinds, profile), *_speakers(reading, profile)):
            graph.mentions.setdefault(mention)
        for sentence in sentences:
            for name in sentence:
                if name.key:
                    graph.mentions.setdefault(_mention(name, keys[name], kinds, profile))
                if name.key in full:
                    graph.aliases.setdefault(
                        _claim(name.key, keys[name], reading, name.span, full[name.key][1])
                    )
        for claim, mentions in _claims(reading, sentences, keys, kinds, profile):
            graph.aliases.setdefault(claim)
            for mention in mentions:
                graph.mentions.setdefault(mention)
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


def _titles(reading: Reading, kinds: Mapping[str, str], profile: Profile | None) -> Iterator[Mention]:
    """The title of the document, as each of its chunks has it."""
    chunk = reading.chunk
    title = title_name(chunk.title)
    if key := key_of(title):
        name = Name(key, title, in_profile(kinds.get(key, ""), title, profile))
        yield Mention(name, chunk.id, chunk.span, chunk.span, Role.TITLE)


def _speakers(reading: Reading, profile: Profile | None) -> Iterator[Mention]:
    chunk = reading.chunk
    for turn in reading.turns:
        if key := key_of(turn.speaker):
            span = turn.span.shift(chunk.span.start)
            name = Name(key, turn.speaker, in_profile(PERSON, turn.speaker, profile) or PERSON)
            yield Mention(name, chunk.id, span, span, Role.SPEAKER)


def _claim(alias: str, key: str, reading: Reading, span: Span, reason: str) -> AliasClaim:
    return AliasClaim(alias, key, reading.chunk.id, span.shift(reading.chunk.span.start), reason)


def _claims(
    reading: Reading,
    sentences: Sequence[Sequence[Found]],
    keys: Mapping[Found, str],
    kinds: Mapping[str, str],
    profile: Profile | None,
) -> Iterator[tuple[AliasClaim, list[Mention]]]:
    """The claims of a chunk, each with the mentions of names that nothing but the claim shows to be names."""
    text = reading.chunk.text
    named = {name.span for sentence in sentences for name in sentence}
    kind_of = lambda key, written: in_profile(kinds.get(key, ""), written, profile)  # noqa: E731
    tables = _tables(profile)
    offset = reading.chunk.span.start

    def mention(span: Span, sentence: Span, same: str) -> list[Mention]:
        if span in named:
            return []
        written = " ".join(span.of(text).split())
        name = Name(key_of(written), written, kind_of(same, written))
        return [Mention(name, reading.chunk.id, span.shift(offset), sentence.shift(offset))]

    for sentence, names in zip(reading.sentences, sentences, strict=True):
        if "(" in text[sentence.span.start : sentence.span.end]:
            for short, long in abbreviations(text, sentence.span):
                alias, key = key_of(short.of(text)), key_of(long.of(text))
                if alias and key and alias != key:
                    yield (
                        _claim(
                            alias,
                            key,
                            reading,
                            Span(min(short.start, long.start), max(short.end, long.end)),
                            ABBREVIATION,
                        ),
                        mention(short, sentence.span, key) + mention(long, sentence.span, key),
                    )
        for claim in also_known_as([name for name in names if name.key]):
            alias, key = key_of(claim.other.of(text)), keys[claim.name]
            if alias and alias != key:
                span = Span(claim.name.span.start, claim.other.end)
                yield (
                    _claim(alias, key, reading, span, claim.reason),
                    mention(claim.other, sentence.span, key),
                )
        for word in sentence.words if tables else ():
            canonical = tables.get(word.written.lower())
            if canonical and (word.written != word.written.lower() or canonical[:1].isupper()):
                alias, key = key_of(word.written), key_of(canonical)
                span = Span(word.start, word.end)
                if alias and key and alias != key:
                    yield _claim(alias, key, reading, span, ALIAS_TABLE), mention(span, sentence.span, key)


def _tables(profile: Profile | None) -> dict[str, str]:
    if profile is None:
        return {}
    return {
        alias: canonical.partition(" (")[0]
        for table in profile.aliases.values()
        for alias, canonical in table.strong.items()
    }
