"""Ids of points and names of vectors.

Qdrant's points are named by UUIDs. One made from a text (RFC 9562, version 5, of the text's own name space) is the same in every
process, so that a document's point is found without a search and written twice is one.
"""

from __future__ import annotations

import uuid

_SPACE = uuid.uuid5(uuid.NAMESPACE_URL, "https://github.com/ascertain/qdrant")

WORDS = "words"
"""The sparse vector."""


def _named(kind: str, *parts: str) -> str:
    # Python hashes the name as UTF-8, which has no lone surrogates.
    text = "\0".join((kind, *parts)).encode("utf-8", "surrogatepass").decode("latin-1")
    return str(uuid.uuid5(_SPACE, text))


FACTS_POINT = _named("facts")
"""The point that describes the knowledge base itself."""


def document_point(document_id: str) -> str:
    """The point of a document."""
    return _named("document", document_id)


def chunk_name(chunk_id: str) -> str:
    """A chunk's name in every version of its document, as it is indexed."""
    return _named("chunk", chunk_id)


def versioned_point(version: str, name: str) -> str:
    """The point of a part of one version of a document."""
    return _named("version", version, name)


def new_version() -> str:
    """A name for one writing of a document."""
    return str(uuid.uuid4())


def dense_name(generation: int) -> str:
    """The dense vector of one embedding model."""
    return f"dense_{generation}"
