"""The nouns of the knowledge graph: names in documents, their relations, and where they occur.

A graph is nothing but what its documents say: every mention, relation and alias knows the chunk and the characters it
was read from, and everything else (entities, weights, communities) is computed from these. What one document says is
one ``DocumentGraph``, a pure function of its chunks, so that replacing or deleting it removes exactly what only it
supported.
"""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from ascertain.core.documents.blocks import Span
from ascertain.core.serialisation import Serialisable


class Role(StrEnum):
    """How a chunk comes to mention a name."""

    NAMED = "named"
    """Its text says it."""
    TITLE = "title"
    """The title of its document says it; the span is that of the chunk."""
    SPEAKER = "speaker"
    """Who says the chunk; the span is that of what they say."""


@dataclass(frozen=True, slots=True, order=True)
class Name:
    """A name as it is written.

    ``key`` is the form in which names are compared; ``kind`` is an entity type of the profile, "" when unknown.
    """

    key: str
    written: str
    kind: str = ""


@dataclass(frozen=True, slots=True)
class Mention:
    """One place where a chunk names something.

    ``span`` and ``sentence`` are code points of the document's text: the name, and the sentence that it stands in.
    """

    name: Name
    chunk_id: str
    span: Span
    sentence: Span
    role: Role = Role.NAMED


@dataclass(frozen=True, slots=True)
class Relation(
    Serialisable,
    hidden=("chunk_id", "sentence"),
    examples={"subject": "wim duisenberg", "predicate": "born in", "object": "heerenveen"},
):
    """A statement read out of a sentence, by a pattern or by a model."""

    subject: str
    predicate: str
    """A verb phrase in lower case, as in “founded” or “is part of”."""
    object: str
    chunk_id: str
    sentence: Span
    origin: str = "pattern"
    """`pattern` or `model`."""


@dataclass(frozen=True, slots=True)
class AliasClaim:
    """A place that says two names, given by their keys, mean the same thing: "European Central Bank (ECB)"."""

    alias: str
    key: str
    chunk_id: str
    span: Span
    reason: str
    """What kind of claim it is, as in "abbreviation" or "also known as"."""


@dataclass(frozen=True, slots=True)
class DocumentGraph:
    """What one document says.

    ``version`` is the content hash of the document and the name of the extractor: a different one means to read it again.
    ``chunk_ids`` are all its searchable chunks in order, also those that name nothing.
    """

    document_id: str
    version: str
    chunk_ids: tuple[str, ...]
    mentions: tuple[Mention, ...] = ()
    relations: tuple[Relation, ...] = ()
    aliases: tuple[AliasClaim, ...] = ()
    conversation_id: str | None = None
    tenant: str = "default"


@dataclass(frozen=True, slots=True)
class Pin:
    """A user's decision about two names, given by their keys: whether they mean the same thing.

    It overrides every rule.
    """

    left: str
    right: str
    same: bool
    reason: str
    made_at: datetime
