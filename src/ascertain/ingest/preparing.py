"""Everything that can be done to a document before the embedding model sees it; runs in the reading thread."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from ascertain.core.chunks import Chunk
from ascertain.core.documents import Document
from ascertain.core.settings import IngestSettings
from ascertain.ingest.chunking import chunk_document
from ascertain.ingest.minhash import signature
from ascertain.ingest.profiling import profile_document


@dataclass(frozen=True, slots=True)
class Found:
    """A document as it was read; ``size`` is its share of the bytes of the run."""

    document: Document
    size: int


@dataclass(frozen=True, slots=True)
class Unreadable:
    """A source that gave no document. ``document`` stands for it in the store, without text."""

    document: Document
    reason: str
    size: int = 0


@dataclass(frozen=True, slots=True)
class Finished:
    """The end of one file. ``is_whole`` when everything in it was read."""

    path: str
    size: int
    is_whole: bool


@dataclass(frozen=True, slots=True)
class Unchanged:
    """A document that the store has already."""

    document_id: str
    source: str
    size: int


@dataclass(frozen=True, slots=True)
class Ready:
    """A document in chunks; ``chunks`` are the searchable ones, ``parents`` the others."""

    document: Document
    chunks: list[Chunk]
    parents: list[Chunk]
    signature: bytes | None
    size: int
    repeats: bool = False
    """Whether this run has given another document of the same id before."""


Read = Found | Unreadable | Finished
Item = Unchanged | Ready | Unreadable | Finished


def prepare(
    read: Iterable[Read | Unchanged], known: Mapping[str, str], settings: IngestSettings
) -> Iterator[Item]:
    """Profile, chunk and sign what is new or changed; ``known`` is the content hash of each stored document by id.

    An error in one document becomes ``Unreadable``. Within one run the last document of an id wins.
    """
    seen: dict[str, str] = {}
    for item in read:
        if not isinstance(item, Found):
            yield item
            continue
        document = item.document
        content_hash = document.content_hash
        earlier = seen.get(document.id)
        seen[document.id] = content_hash
        if content_hash == (earlier or known.get(document.id)):
            yield Unchanged(document.id, document.source, item.size)
            continue
        try:
            yield _ready(item, settings, repeats=earlier is not None)
        except Exception as error:  # one bad document never stops the run
            yield Unreadable(document, f"could not be cut into chunks ({describe(error)})", item.size)


def weight(item: Item) -> int:
    """How much memory an item takes, roughly, in characters."""
    return 2 * len(item.document.text) if isinstance(item, Ready) else 200


def describe(error: BaseException) -> str:
    """An unexpected error in one line."""
    return f"{type(error).__name__}: {error}".split("\n", 1)[0][:200]


def _ready(item: Found, settings: IngestSettings, *, repeats: bool) -> Ready | Unreadable:
    document = _profiled(item.document)
    chunks = chunk_document(document, settings.chunker)
    if not chunks:
        return Unreadable(item.document, "there is no text in it", item.size)
    return Ready(
        document,
        [chunk for chunk in chunks if not chunk.is_parent],
        [chunk for chunk in chunks if chunk.is_parent],
        signature(item.document.text),
        item.size,
        repeats,
    )


def _profiled(document: Document) -> Document:
    """With its profile; one that came with the document is kept."""
    if document.document_profile is not None:
        return document
    return replace(document, document_profile=profile_document(document))
