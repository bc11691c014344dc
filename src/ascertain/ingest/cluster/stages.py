"""What workers do first: read a lot into parcels, and embed a parcel. Nothing here knows how they are run."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from ascertain.core.documents import Document
from ascertain.core.errors import AscertainError
from ascertain.core.settings import IngestSettings
from ascertain.graph.upkeep import GraphUpkeep
from ascertain.ingest.cluster.parcels import Lot, Parcel, Placed, Signed, Source, SourceEnd, Trouble
from ascertain.ingest.duplicates import SAME_STORY, wanted_similarity
from ascertain.ingest.embedding import BatchEmbedding
from ascertain.ingest.minhash import signature
from ascertain.ingest.preparing import Finished, Found, Item, Read, Ready, Unchanged, Unreadable, prepare
from ascertain.ingest.reading import read_files
from ascertain.models.ports import Embedder
from ascertain.sources.extraction import ReadOptions
from ascertain.stores.ports import CompleteStore


@dataclass(frozen=True, slots=True)
class Workplace:
    """What a worker needs; it travels to each, and the two functions open a store and a model there.

    With ``compares_unchanged`` the links of documents that are in the store already are looked at too.
    """

    settings: IngestSettings
    options: ReadOptions
    open_store: Callable[[], CompleteStore]
    open_embedder: Callable[[], Embedder]
    compares_unchanged: bool = False
    open_graph: Callable[[], GraphUpkeep] | None = None
    """What has the graph follow what a worker writes; None where nothing does, as when a chat model reads it."""


def read_lot(lot: Lot, known: Mapping[str, str], workplace: Workplace) -> Iterator[Parcel]:
    """The parcels of a lot; ``known`` is the content hash of each document that was stored when the run began."""
    limit = 1 if lot.is_careful else workplace.settings.write_batch
    parcel = Parcel()
    for source in lot.sources:
        reading = _Reading(source, known, workplace)
        for position, item in enumerate(reading.items()):
            reading.put(parcel, position, item)
            if parcel.chunks >= limit or parcel.is_long:
                yield parcel
                parcel = Parcel()
    yield parcel


class _Reading:
    """One source on its way into parcels."""

    def __init__(self, source: Source, known: Mapping[str, str], workplace: Workplace) -> None:
        self._source = source
        self._known = known
        self._workplace = workplace
        self._documents: dict[str, str] = {}
        self._latest: Document | None = None

    def items(self) -> Iterator[Item]:
        """What the source gives, cut into chunks where that is needed."""
        return prepare(self._wanted(), self._known, self._workplace.settings)

    def put(self, parcel: Parcel, position: int, item: Item) -> None:
        """Put an item, at ``position`` in the source, into a parcel; before the next one is asked for."""
        number = self._source.number
        if isinstance(item, Ready):
            is_known = item.document.id in self._known
            parcel.documents.append(Placed(item, (number, position), is_known))
        elif isinstance(item, Unreadable):
            parcel.unreadable.append((number, item))
        elif isinstance(item, Unchanged):
            parcel.unchanged.append((number, item))
            if self._workplace.compares_unchanged and self._latest is not None:
                parcel.compared.extend(signed(self._latest, (number, position)))
        else:
            parcel.ends.append(SourceEnd(number, item, self._documents))

    def _wanted(self) -> Iterator[Read]:
        """What was read, but for what is dealt with already."""
        for item in self._read():
            if not isinstance(item, Finished):
                self._documents[item.document.id] = item.document.source
                if item.document.id in self._source.done:
                    continue
                self._latest = item.document
            yield item

    def _read(self) -> Iterator[Read]:
        content = self._source.content
        if isinstance(content, Path):
            yield from read_files((content,), self._workplace.options)
        else:
            yield Found(content, len(content.text))
            yield Finished(content.source, 0, is_whole=True)


def signed(document: Document, place: tuple[int, int], signature_: bytes | None = None) -> Iterator[Signed]:
    """The document's signature for comparing, when it is long enough to have one."""
    made = signature_ or signature(document.text)
    if made is not None:
        wanted = wanted_similarity(document, SAME_STORY)
        yield Signed(document.id, document.tenant, place, made, wanted)


class EmbeddingStage:
    """Embeds parcels with one model, opened for the first of them."""

    def __init__(self, workplace: Workplace) -> None:
        self._workplace = workplace
        self._embedding: BatchEmbedding | None = None

    def __call__(self, parcel: Parcel) -> Parcel:
        """The parcel with its vectors; a document that the model cannot take is moved to the unreadable ones."""
        if not parcel.documents:
            return parcel
        try:
            self._embed(parcel)
        except AscertainError as error:
            parcel.trouble = Trouble.of(error)
        return parcel

    def _embed(self, parcel: Parcel) -> None:
        if self._embedding is None:
            self._embedding = BatchEmbedding(
                self._workplace.open_embedder(), self._workplace.settings.embed_batch
            )
        before = self._embedding.seconds
        embedded = self._embedding.embed_each([placed.ready for placed in parcel.documents], _say_nothing)
        parcel.embedding_seconds = self._embedding.seconds - before
        taken: list[Placed] = []
        for placed, found in zip(parcel.documents, embedded, strict=True):
            if isinstance(found, str):
                failed = Unreadable(placed.ready.document, found, placed.ready.size)
                parcel.unreadable.append((placed.place[0], failed))
            else:
                taken.append(placed)
                parcel.vectors.append(found)
        parcel.documents = taken


def _say_nothing(source: str, bytes_done: int, chunks: int) -> None:
    """Progress is told by the driver, once a document is written."""
