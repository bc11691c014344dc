"""What a chat model says of a portion of a document, held to the sentences that it was shown."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from pydantic import BaseModel, Field

from ascertain.core.graph import AliasClaim, Mention, Name, Relation
from ascertain.core.settings.profiles import Profile
from ascertain.core.spans import Span
from ascertain.graph.extraction.model_batches import Batch, Line
from ascertain.graph.extraction.other_names import ALSO_KNOWN_AS
from ascertain.graph.keys import key_of
from ascertain.language.tokens import STOP_WORDS, folded

MOST_WORDS = 12
"""Words of a name or a predicate; longer ones are clauses."""
_SPACE = re.compile(r"\s+")


class RelationReply(BaseModel):
    """One relation that a sentence states."""

    sentence: int = Field(description="The number of the sentence.")
    subject: str = Field(description="A name as the text writes it.")
    subject_kind: str = Field(default="", description="One of the kinds, or empty.")
    predicate: str = Field(description="A short verb phrase in lower case.")
    object: str = Field(description="A name as the text writes it.")
    object_kind: str = Field(default="", description="One of the kinds, or empty.")


class OtherNameReply(BaseModel):
    """Two names that the text gives to one thing."""

    sentence: int = Field(description="The number of the sentence.")
    name: str
    other_name: str


class GraphReply(BaseModel):
    """The relations that the sentences state."""

    relations: list[RelationReply] = Field(default=[])
    other_names: list[OtherNameReply] = Field(default=[])


@dataclass
class Read:
    """What is left of a reply; ``kinds`` by key."""

    mentions: list[Mention] = field(default_factory=list[Mention])
    relations: list[Relation] = field(default_factory=list[Relation])
    aliases: list[AliasClaim] = field(default_factory=list[AliasClaim])
    kinds: dict[str, str] = field(default_factory=dict[str, str])


def read_reply(reply: GraphReply, batch: Batch, profile: Profile | None, full: Mapping[str, str]) -> Read:
    """What ``reply`` says that the sentences of ``batch`` bear out: both names stand in them.

    ``full`` gives the full names of short ones, by keys. Kinds that the profile does not know are left out.
    """
    read = Read()
    kinds = {folded(kind): kind for kind in profile.entity_types} if profile else {}
    for one in reply.relations:
        line = _line(batch, one.sentence)
        subject, other = _found(one.subject, line, batch), _found(one.object, line, batch)
        predicate = _predicate(one.predicate)
        if line is None or subject is None or other is None or not predicate:
            continue
        left, right = (full.get(place.name.key, place.name.key) for place in (subject, other))
        if left == right:
            continue
        read.relations.append(Relation(left, predicate, right, line.chunk.id, line.span, "model"))
        for mention, key, kind in ((subject, left, one.subject_kind), (other, right, one.object_kind)):
            known = kinds.get(folded(kind.strip()), "")
            if known:
                read.kinds.setdefault(key, known)
            read.mentions.append(
                Mention(
                    Name(key, mention.name.written, known), mention.chunk_id, mention.span, mention.sentence
                )
            )
    for other in reply.other_names:
        line = _line(batch, other.sentence)
        name, alias = _found(other.name, line, batch), _found(other.other_name, line, batch)
        if line is not None and name and alias and name.name.key != alias.name.key:
            read.aliases.append(
                AliasClaim(alias.name.key, name.name.key, line.chunk.id, line.span, ALSO_KNOWN_AS)
            )
            read.mentions += [name, alias]
    return read


def _line(batch: Batch, number: int) -> Line | None:
    return batch.lines[number - 1] if 1 <= number <= len(batch.lines) else None


def _found(name: str, line: Line | None, batch: Batch) -> Mention | None:
    """Where the text says ``name``: in ``line``, else in the sentence nearest before it, else nowhere."""
    name = _SPACE.sub(" ", name).strip()
    key = key_of(name)
    if line is None or not key or len(name.split()) > MOST_WORDS or not any(map(str.isalpha, key)):
        return None
    if folded(name) in STOP_WORDS:
        return None
    place = batch.lines.index(line)
    for each in (line, *reversed(batch.lines[:place])):
        span = _place(name, each)
        if span is not None:
            written = _SPACE.sub(" ", span.shift(-each.chunk.span.start).of(each.chunk.text))
            return Mention(Name(key, written), each.chunk.id, span, each.span)
    return None


def _place(name: str, line: Line) -> Span | None:
    """Where ``line`` has ``name``, in the document: whole words, whatever their case and the spaces between them."""
    pattern = r"\s+".join(re.escape(word) for word in name.split())
    text = line.span.shift(-line.chunk.span.start).of(line.chunk.text)
    match = re.search(rf"(?<!\w){pattern}(?!\w)", text, re.I)
    return Span(*match.span()).shift(line.span.start) if match else None


def _predicate(text: str) -> str:
    words = _SPACE.sub(" ", text.replace("_", " ")).strip(" .,:;\"'").lower()
    return words if any(map(str.isalpha, words)) and len(words.split()) <= MOST_WORDS else ""
