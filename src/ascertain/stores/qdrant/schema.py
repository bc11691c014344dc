"""Fields of points and their indexes, by version of the format.

Every condition of a filter has an index; ``within`` holds the folders a source is in, so that a folder is one value.
"""

from __future__ import annotations

from enum import StrEnum

FORMAT = 1
"""Raised when what is stored changes; ``STEPS`` says how to get there."""

STEPS = ("points_and_indexes",)
"""What each version of the format brought, for people."""


class What(StrEnum):
    """What a point stands for, in its field ``what``."""

    CHUNK = "chunk"
    PARENT = "parent"
    DOCUMENT = "document"
    TEXT = "text"
    """A piece of a document's text."""
    FACTS = "facts"


class IndexKind(StrEnum):
    """How a field is indexed."""

    KEYWORD = "keyword"
    PREFIXES = "prefixes"
    """Keywords that are also looked up by how they begin."""
    TENANT = "tenant"
    """Keywords that set apart what is stored together."""
    UUID = "uuid"
    INTEGER = "integer"
    MOMENT = "moment"
    WORDS = "words"
    """Tokens set apart by spaces, with their order."""


INDEXES: dict[str, IndexKind] = {
    "what": IndexKind.KEYWORD,
    "tenant": IndexKind.TENANT,
    "owner": IndexKind.UUID,
    "version": IndexKind.UUID,
    "name": IndexKind.UUID,
    "index": IndexKind.INTEGER,
    "kind": IndexKind.KEYWORD,
    "source": IndexKind.PREFIXES,
    "within": IndexKind.KEYWORD,
    "tags": IndexKind.KEYWORD,
    "profile": IndexKind.KEYWORD,
    "published": IndexKind.MOMENT,
    "conversation": IndexKind.KEYWORD,
    "words": IndexKind.WORDS,
    "title_words": IndexKind.WORDS,
    "written": IndexKind.INTEGER,
    "chunks": IndexKind.INTEGER,
    "state": IndexKind.KEYWORD,
    "original": IndexKind.UUID,
    "bands": IndexKind.INTEGER,
    "type": IndexKind.KEYWORD,
    "density": IndexKind.KEYWORD,
    "domains": IndexKind.KEYWORD,
    "version_bytes": IndexKind.INTEGER,
}
"""``owner`` is the point of a document, on it and on all its parts; ``original`` that of what it repeats; ``name`` a chunk's.

``version_bytes`` holds the bytes of the number of a document's version (``stores.fingerprints``), each with its place, so that counts of
them add up to the sum of the numbers.
"""
