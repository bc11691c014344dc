"""Everything that can be done to a document before the embedding model sees it; runs in the reading thread."""

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ascertain.core.documents.documents import Chunk, Document
from ascertain.core.errors import AscertainError, TextRefused, TooMuchWork
from ascertain.core.settings import IngestSettings
from ascertain.core.settings.profiles import Profile
from ascertain.core.system.processor_time import limit_document_work
from ascertain.documents.formats.reader import Picture
from ascertain.documents.ingest.chunking.chunks import chunk_document
from ascertain.documents.ingest.duplicates import minhash_signature
from ascertain.documents.ingest.profiling.profile import profile_document
from ascertain.documents.ingest.topics import Unwanted, tag_chunks
from ascertain.models.ports import Embedder, Vectors, choose_batch


@dataclass(frozen=True, slots=True)
class Found:
    """A document as it was read; ``size`` is its share of the bytes of the run, ``pictures`` wait to be described."""

    document: Document
    size: int
    pictures: tuple[Picture, ...] = ()


@dataclass(frozen=True, slots=True)
class Unreadable:
    """A source that gave no document. ``document`` represents it in the store, without text."""

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


def prepare_documents(
    read: Iterable[Read | Unchanged],
    known: Mapping[str, str],
    settings: IngestSettings,
    profiles: Mapping[str, Profile] | None = None,
    goes_on: Callable[[], bool] = lambda: True,
) -> Iterator[Item]:
    """Profile, chunk, tag and sign what is new or changed; ``known`` is the content hash of each stored document by id.

    ``profiles`` by name have the vocabulary of topics.

    An error in one document becomes ``Unreadable``. Within one run the last document of an id wins. Ends in the middle of a long
    document once ``goes_on`` returns false.
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
            with limit_document_work(len(document.text), "to be cut into chunks", settings.reading.seconds):
                ready = _make_ready(item, settings, profiles or {}, goes_on, repeats=earlier is not None)
            yield ready
        except Unwanted:
            return
        except TooMuchWork as error:
            yield Unreadable(document, str(error), item.size)
        except Exception as error:  # one bad document never stops the run
            yield Unreadable(document, f"could not be cut into chunks ({describe_error(error)})", item.size)


def weigh_item(item: Item) -> int:
    """How much memory an item takes, roughly, in characters."""
    return 2 * len(item.document.text) if isinstance(item, Ready) else 200


def describe_error(error: BaseException) -> str:
    """An unexpected error in one line."""
    return f"{type(error).__name__}: {error}".split("\n", 1)[0][:200]


def _make_ready(
    item: Found,
    settings: IngestSettings,
    profiles: Mapping[str, Profile],
    goes_on: Callable[[], bool],
    *,
    repeats: bool,
) -> Ready | Unreadable:
    document = _profile_document(item.document)
    chunks = tag_chunks(chunk_document(document, settings.chunker), profiles.get(document.profile), goes_on)
    if not chunks:
        return Unreadable(item.document, "it contains no text", item.size)
    return Ready(
        document,
        [chunk for chunk in chunks if not chunk.is_parent],
        [chunk for chunk in chunks if chunk.is_parent],
        minhash_signature(item.document.text),
        item.size,
        repeats,
    )


def _profile_document(document: Document) -> Document:
    """With its profile; one that came with the document is kept."""
    if document.document_profile is not None:
        return document
    return replace(document, document_profile=profile_document(document))


class BatchEmbedding:
    """Embeds documents and keeps the time; ``seconds`` is what the model has taken so far."""

    def __init__(self, embedder: Embedder, batch: int) -> None:
        self._embedder = embedder
        self._batch = choose_batch(embedder, batch)
        self.seconds = 0.0

    def embed_each(self, documents: Sequence[Ready], advanced: Callable[[str, int, int], None]) -> list[Vectors | str]:
        """As ``embed``, but a document that the model cannot take costs only itself: in its place is the reason."""
        try:
            return [*self.embed(documents, advanced)]
        except Exception as error:  # a model may raise anything for an unsuitable text
            if isinstance(error, AscertainError) and not isinstance(error, TextRefused):
                raise
            if len(documents) == 1:
                return [f"could not be embedded ({describe_error(error)})"]
            return [found for ready in documents for found in self.embed_each([replace(ready, size=0)], advanced)]

    def embed(self, documents: Sequence[Ready], advanced: Callable[[str, int, int], None]) -> list[Vectors]:
        """One array for each document, a row for each of its searchable chunks.

        Texts are sorted by length over all the documents, which saves the model padding (2-3 times faster). ``advanced`` is
        called with source, bytes and chunks after every batch.
        """
        texts = [chunk.indexed_text for ready in documents for chunk in ready.chunks]
        owners = [number for number, ready in enumerate(documents) for _ in ready.chunks]
        out = np.zeros((len(texts), self._embedder.dimension), np.float32)
        bytes_left = [ready.size for ready in documents]
        chunks_left = [len(ready.chunks) for ready in documents]
        for rows in self._split_batches(texts):
            started = time.perf_counter()
            out[rows] = self._embedder.embed_documents([texts[row] for row in rows])
            self.seconds += time.perf_counter() - started
            done = 0
            for owner in (owners[row] for row in rows):
                share = bytes_left[owner] // chunks_left[owner]
                bytes_left[owner] -= share
                chunks_left[owner] -= 1
                done += share
            advanced(documents[owners[rows[0]]].document.source, done, len(rows))
        edges = np.cumsum([len(ready.chunks) for ready in documents])[:-1]
        return list(np.split(out, edges))

    def _split_batches(self, texts: Sequence[str]) -> Iterator[list[int]]:
        order = sorted(range(len(texts)), key=lambda row: -len(texts[row]))
        for start in range(0, len(order), self._batch):
            yield order[start : start + self._batch]
