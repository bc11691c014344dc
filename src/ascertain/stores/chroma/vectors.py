"""The vectors of one record in Chroma: a collection for each embedding model, which notes how far it has followed.

The ids are the record's row numbers. Those are never used twice and what they stand for never changes, so following can
be broken off anywhere and begun again. New rows are added before old ones are deleted: up to the position that is
noted, a collection never lacks a row that the record has.
"""

import logging
import shutil
import sqlite3
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import numpy as np

from ascertain.core.errors import StoreError
from ascertain.stores.chroma.server import Chroma, Client, Collection, CollectionGone
from ascertain.stores.embedded import change_log
from ascertain.stores.embedded.change_log import START, Position, RowNumbers
from ascertain.stores.embedded.record import OpenRecord
from ascertain.stores.ports.chunks import Vectors
from ascertain.stores.records.vectors import Generation

_logger = logging.getLogger("ascertain.stores")

# Rows of one call, where Chroma takes so many: 8 MB of 384 dimensions as JSON numbers on the way to a server.
_BATCH = 2_000
_PAGE = 100


@dataclass(frozen=True, slots=True)
class Followed:
    """A collection as last seen; it does not exist when ``collection`` is None."""

    generation: int
    collection: Collection | None
    position: Position


class ChromaVectors:
    """Safe to use from several threads; ``catch_up`` and ``discard`` need the writer's lock."""

    def __init__(self, chroma: Chroma, record: OpenRecord) -> None:
        self.chroma = chroma
        self._connections = record.connections
        self._identity = record.identity
        self._index = record.settings.hnsw
        self._prefix = f"{record.settings.name}-{record.identity}-"
        self._mutex = threading.RLock()
        self._seen: Followed | None = None

    def fetch_progress(self, generation: Generation, now: Position) -> Followed:
        """How far the collection is, where the record is ``now``; it is asked unless it was seen to be that far."""
        seen = self._seen
        if seen is not None and seen.generation == generation.number and seen.position == now:
            return seen
        with self.chroma.using() as client:
            try:
                collection = client.get_collection(self._collection_name(generation), None)
            except Exception as error:
                if not _is_missing(error):
                    raise
                seen = Followed(generation.number, None, START)
            else:
                position = self._read_position(collection.metadata or {}, generation, now)
                seen = Followed(generation.number, collection if position else None, position or START)
        self._seen = seen
        return seen

    def nearest(self, collection: Collection, query: Vectors, count: int) -> RowNumbers:
        """Up to ``count`` rows, the nearest first."""
        try:
            with self.chroma.using():
                found = collection.query(query_embeddings=query[None, :], n_results=count, include=[])
        except StoreError:
            # The server may come back in another state.
            self.forget()
            raise
        return np.asarray([int(row) for row in found["ids"][0]], np.int64)

    def forget(self) -> None:
        """Ask again how far the collection is."""
        self._seen = None

    def catch_up(self, generation: Generation) -> None:
        """Update the collection to the record; those of earlier models or of a replaced record are deleted."""
        with self._mutex, self.chroma.using() as client:
            with self._connections.read() as db:
                target = change_log.read_position(db)
            followed = self.fetch_progress(generation, target)
            if followed.position == target:
                return
            collection = followed.collection or self._create_collection(client, generation)
            self._add_rows(client, collection, generation, (followed.position, target))
            self._delete_rows(client, collection, followed.position)
            self._note_position(collection, generation, target)
            if followed.collection is None:
                self._delete_collections(client, keep=self._collection_name(generation))

    def count(self, generation: Generation) -> int:
        """How many vectors the collection has; 0 when it is missing."""
        try:
            with self.chroma.using() as client:
                return client.get_collection(self._collection_name(generation), None).count()
        except CollectionGone:
            return 0

    def version(self) -> str:
        """Of Chroma."""
        with self.chroma.using() as client:
            return client.get_version()

    def discard(self) -> None:
        """Delete everything of this record; a folder that cannot be used is deleted as a whole."""
        self.forget()
        try:
            with self.chroma.using() as client:
                self._delete_collections(client)
        except StoreError:
            if self.chroma.folder is None:
                raise
            self.chroma.disconnect()
            shutil.rmtree(self.chroma.folder, ignore_errors=True)

    def _collection_name(self, generation: Generation) -> str:
        return f"{self._prefix}{generation.number}"

    def _read_position(self, noted: Mapping[str, Any], generation: Generation, now: Position) -> Position | None:
        """How far the collection says it is; None if it cannot belong to this record."""
        position = Position(int(noted.get("sequence", 0)), int(noted.get("high_row", 0)))
        is_own = noted.get("record") == self._identity and noted.get("dimension") == generation.dimension
        is_past = position.sequence <= now.sequence and position.high_row <= now.high_row
        return position if is_own and noted.get("model") == generation.model and is_past else None

    def _create_collection(self, client: Client, generation: Generation) -> Collection:
        name = self._collection_name(generation)
        # What is there under this name is of a record that was replaced by an older one.
        with suppress(CollectionGone), self.chroma.using():
            client.delete_collection(name)
        graph = {
            "space": "ip",
            "max_neighbors": self._index.m,
            "ef_construction": self._index.ef_construction,
            "ef_search": self._index.ef_search,
        }
        return client.get_or_create_collection(
            name,
            configuration={"hnsw": graph},
            metadata=self._describe_position(generation, START),
            embedding_function=None,
        )

    def _add_rows(
        self, client: Client, collection: Collection, generation: Generation, between: tuple[Position, Position]
    ) -> None:
        start, target = between
        size = min(_BATCH, client.get_max_batch_size())
        after = start.high_row
        while True:
            # One short transaction for each batch: a long one would keep the record's log from being cleared.
            with self._connections.read() as db:
                found = _vectors_between(db, generation.number, (after, target.high_row), size)
            if not found:
                return
            joined = np.frombuffer(b"".join(vector for _, vector in found), np.float16).astype(np.float32)
            collection.upsert([str(row) for row, _ in found], joined.reshape(len(found), generation.dimension))
            if len(found) < size:
                return
            after = found[-1][0]
            self._note_position(collection, generation, Position(start.sequence, after))

    def _delete_rows(self, client: Client, collection: Collection, start: Position) -> None:
        with self._connections.read() as db:
            removed = change_log.removed_since(db, start)
        rows = [str(row) for first, last in removed for row in range(first, last + 1)]
        size = client.get_max_batch_size()
        for place in range(0, len(rows), size):
            collection.delete(rows[place : place + size])

    def _note_position(self, collection: Collection, generation: Generation, position: Position) -> None:
        noted = (collection.metadata or {}).get("ef_search")
        if noted != self._index.ef_search:
            collection.modify(configuration={"hnsw": {"ef_search": self._index.ef_search}})
        collection.modify(metadata=self._describe_position(generation, position))
        self._seen = Followed(generation.number, collection, position)

    def _describe_position(self, generation: Generation, position: Position) -> dict[str, str | int]:
        return {
            "record": self._identity,
            "model": generation.model,
            "dimension": generation.dimension,
            "ef_search": self._index.ef_search,
            "sequence": position.sequence,
            "high_row": position.high_row,
        }

    def _delete_collections(self, client: Client, keep: str = "") -> None:
        """Delete this record's collections but ``keep``."""
        for name in self._list_collections(client):
            if name.startswith(self._prefix) and name != keep:
                with suppress(CollectionGone), self.chroma.using():
                    client.delete_collection(name)

    def _list_collections(self, client: Client) -> Sequence[str]:
        names: list[str] = []
        while page := client.list_collections(_PAGE, len(names)):
            names.extend(str(collection.name) for collection in page)
        return names


def _vectors_between(
    db: sqlite3.Connection, generation: int, rows: tuple[int, int], limit: int
) -> list[tuple[int, bytes]]:
    """The next vectors above the first row, up to the second."""
    return db.execute(
        "SELECT row, vector FROM vectors WHERE row > ? AND row <= ? AND generation = ? ORDER BY row LIMIT ?",
        (*rows, generation, limit),
    ).fetchall()


def _is_missing(error: Exception) -> bool:
    return type(error).__name__ == "NotFoundError"
