"""The claims of a chunk that two names are of one thing: abbreviations, other names, the profile's table of aliases."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from ascertain.core.graph import AliasClaim
from ascertain.core.settings.profiles import Profile
from ascertain.core.spans import Span
from ascertain.graph.extraction.abbreviations import abbreviations
from ascertain.graph.extraction.found import Found
from ascertain.graph.extraction.other_names import ABBREVIATION, ALIAS_TABLE, also_known_as
from ascertain.graph.extraction.words import Reading, Sentence
from ascertain.graph.keys import key_of


class Claimed(NamedTuple):
    """A claim, and the names in it that were not found for themselves: each with its sentence, in the text of the chunk."""

    alias_claim: AliasClaim
    unnamed: tuple[tuple[Span, Span], ...]


def alias_claim(alias: str, key: str, reading: Reading, span: Span, reason: str) -> AliasClaim:
    """The claim made by ``span`` of the text of the chunk."""
    return AliasClaim(alias, key, reading.chunk.id, span.shift(reading.chunk.span.start), reason)


def claims_of(
    reading: Reading, sentences: Sequence[Sequence[Found]], keys: Mapping[Found, str], profile: Profile | None
) -> Iterator[Claimed]:
    """The claims of a chunk; ``sentences`` holds the names found in each of its sentences, ``keys`` what stands for them."""
    text = reading.chunk.text
    tables = _tables(profile)
    named = {name.span for sentence in sentences for name in sentence}

    def claimed(
        alias: str, key: str, whole: Span, reason: str, sentence: Sentence, *parts: Span
    ) -> Iterator[Claimed]:
        if alias and key and alias != key:
            unnamed = tuple((part, sentence.span) for part in parts if part not in named)
            yield Claimed(alias_claim(alias, key, reading, whole, reason), unnamed)

    for sentence, names in zip(reading.sentences, sentences, strict=True):
        for short, long in abbreviations(text, sentence.span):
            alias, key = key_of(short.of(text)), key_of(long.of(text))
            whole = Span(min(short.start, long.start), max(short.end, long.end))
            yield from claimed(alias, key, whole, ABBREVIATION, sentence, short, long)
        for claim in also_known_as(names):
            alias, key = key_of(claim.other.of(text)), keys[claim.name]
            whole = Span(claim.name.span.start, claim.other.end)
            yield from claimed(alias, key, whole, claim.reason, sentence, claim.other)
        for word in sentence.words if tables else ():
            canonical = tables.get(word.small)
            if canonical and (not word.written.islower() or canonical[:1].isupper()):
                place = Span(word.start, word.end)
                yield from claimed(
                    key_of(word.written), key_of(canonical), place, ALIAS_TABLE, sentence, place
                )


def _tables(profile: Profile | None) -> dict[str, str]:
    """What the short forms of a profile stand for, without those that are also ordinary words."""
    tables = profile.aliases.values() if profile else ()
    return {
        alias: canonical.partition(" (")[0] for table in tables for alias, canonical in table.strong.items()
    }
