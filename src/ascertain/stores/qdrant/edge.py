"""Qdrant's engine in this process, on a folder of the home."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import qdrant_edge as edge

from ascertain.core.errors import AscertainError, StoreError
from ascertain.core.settings import StoreSettings
from ascertain.stores.embedded.faults import disk_full, is_disk_full, is_panic
from ascertain.stores.embedded.home import WriterLock
from ascertain.stores.qdrant import edge_shard
from ascertain.stores.qdrant.edge_shard import filter_of, index_of, point_of, request_of, vector_of
from ascertain.stores.qdrant.points import Payload, Point, Scored, Search, Stored, Vector
from ascertain.stores.qdrant.schema import INDEXES, WORDS, Where

_PAGE = 1_000
# Under so many kilobytes of vectors that a filter leaves, the engine looks at each; Qdrant's own default.
_FULL_SCAN_KILOBYTES = 10_000
# Every value, in effect: there is no way to ask for all.
_FACETS = 10_000_000

# A writer that waits looks every 0.05 s whether it may; who writes again and again would never let it.
_TURN_SECONDS = 0.06
# Taking turns costs each time what opening the folder takes.
_TURN_EVERY = 2.0

_Update = edge.UpdateOperation


class EdgePoints:
    """``Points`` in ``<home>/qdrant``. Safe to use from several threads."""

    is_shared = False

    def __init__(self, settings: StoreSettings, home: Path) -> None:
        self._settings = settings
        self._folder = home / "qdrant"
        self._shards = edge_shard.take_folder(self._folder, settings.lock_seconds)
        self._writer = WriterLock(home / "qdrant-writer.lock", settings.lock_seconds)
        self._writer.before_release = self._optimize_index
        self._closing = threading.Lock()
        self._is_closed = False
        self._gave_way = time.monotonic()

    @property
    def place(self) -> str:
        return str(self._folder)

    def exists(self) -> bool:
        return (self._folder / "edge_config.json").is_file()

    def create(self, vector: str, dimension: int) -> None:
        self._folder.mkdir(parents=True, exist_ok=True)

        def opener() -> edge.EdgeShard:
            if self.exists():
                return self._load_shard()
            vectors = {vector: edge.EdgeVectorParams(size=dimension, distance=edge.Distance.Dot)}
            words = {WORDS: edge.EdgeSparseVectorParams(modifier=edge.Modifier.Idf)}
            return edge.EdgeShard.create(
                str(self._folder), edge.EdgeConfig(vectors, words, hnsw_config=self._graph_config())
            )

        with self._translate_errors(), self._shards.using(opener) as shard:
            missing = INDEXES.keys() - shard.info().payload_schema.keys()
        for field in sorted(missing):
            self.add_index(field)

    @contextmanager
    def operation(self) -> Generator[None]:
        """Keep the folder from other processes meanwhile."""
        with self._shard():
            yield

    @contextmanager
    def writing(self) -> Generator[None]:
        """Hold the single writer's right."""
        self._check_open()
        with self._writer.hold():
            yield
        if not self._writer.is_held and time.monotonic() - self._gave_way > _TURN_EVERY:
            time.sleep(_TURN_SECONDS)
            self._gave_way = time.monotonic()

    def upsert(self, points: Sequence[Point]) -> None:
        self._apply_update(_Update.upsert_points([point_of(point) for point in points]))

    def insert(self, points: Sequence[Point]) -> None:
        new = [point_of(point) for point in points]
        self._apply_update(_Update.upsert_points(new, update_mode=edge.UpdateMode.InsertOnly))

    def replace(self, points: Sequence[Point], where: Where) -> None:
        new = [point_of(point) for point in points]
        self._apply_update(_Update.upsert_points(new, filter_of(where), edge.UpdateMode.UpdateOnly))

    def set_payload(self, where: Where, payload: Payload) -> None:
        self._apply_update(_Update.set_payload_by_filter(filter_of(where), dict(payload)))

    def put_vectors(self, vectors: Mapping[str, Vector], name: str) -> None:
        here = [point.id for point in self.retrieve(list(vectors), ())]
        if here:
            present = [edge.PointVectors(point, {name: vectors[point].tolist()}) for point in here]
            self._apply_update(_Update.update_vectors(present))

    def delete(self, where: Where) -> None:
        self._apply_update(_Update.delete_points_by_filter(filter_of(where)))

    def settle(self) -> None:
        """Write to the disk what is only in the system's memory."""
        with self._shard() as shard:
            shard.flush()

    def search(self, search: Search, where: Where, limit: int, fields: Sequence[str]) -> list[Scored]:
        with self._shard() as shard:
            found = shard.query(request_of(search, where, limit, fields))
        return [Scored(str(point.id), point.score, point.payload or {}) for point in found]

    def retrieve(self, ids: Sequence[str], fields: Sequence[str]) -> list[Stored]:
        with self._shard() as shard:
            found = shard.retrieve(list(ids), list(fields), False)
        return [Stored(str(point.id), point.payload or {}) for point in found]

    def scroll(self, where: Where, fields: Sequence[str], vector: str | None = None) -> Iterator[Stored]:
        offset: edge.PointId | None = None
        wanted = [] if vector is None else [vector]
        while True:
            request = edge.ScrollRequest(offset, _PAGE, filter_of(where), list(fields), wanted or False)
            with self._shard() as shard:
                found, offset = shard.scroll(request)
            for point in found:
                stored = vector_of(point.vector, vector) if vector is not None else None
                yield Stored(str(point.id), point.payload or {}, stored)
            if offset is None:
                return

    def count(self, where: Where) -> int:
        with self._shard() as shard:
            return shard.count(edge.CountRequest(exact=True, filter=filter_of(where)))

    def estimate(self, where: Where) -> int:
        with self._shard() as shard:
            return shard.count(edge.CountRequest(exact=False, filter=filter_of(where)))

    def facet(self, key: str, where: Where) -> dict[str | int, int]:
        request = edge.FacetRequest(key, _FACETS, exact=True, filter=filter_of(where))
        with self._shard() as shard:
            return {hit.value: hit.count for hit in shard.facet(request).hits}

    def extreme(self, key: str, where: Where, last: bool) -> Stored | None:
        order = edge.OrderBy(key, edge.Direction.Desc if last else edge.Direction.Asc)
        request = edge.ScrollRequest(None, 1, filter_of(where), ["body"], False, order)
        with self._shard() as shard:
            found, _ = shard.scroll(request)
        return Stored(str(found[0].id), found[0].payload or {}) if found else None

    def indexes(self) -> set[str]:
        with self._shard() as shard:
            return set(shard.info().payload_schema)

    def add_index(self, field: str) -> None:
        self._apply_update(_Update.create_field_index(field, index_of(INDEXES[field])))

    def add_vector(self, name: str, dimension: int) -> None:
        self._apply_update(_Update.create_dense_vector(name, dimension, edge.Distance.Dot))

    def remove_vector(self, name: str) -> None:
        self._apply_update(_Update.delete_vector_name(name))

    def bytes_on_disk(self) -> int:
        """The size of the folder; files that vanish meanwhile count as nothing."""
        total = 0
        for folder, _, names in os.walk(self._folder):
            for name in names:
                try:
                    total += (Path(folder) / name).stat().st_size
                except OSError:
                    continue
        return total

    def condition(self) -> tuple[tuple[str, ...], dict[str, str]]:
        with self._shard() as shard:
            info = shard.info()
        return (), {
            "engine": f"qdrant-edge, {info.segments_count} segments, {info.indexed_vectors_count} vectors indexed"
        }

    def close(self) -> None:
        with self._closing:
            if not self._is_closed:
                self._is_closed = True
                edge_shard.give_back(self._shards)

    def _apply_update(self, operation: edge.UpdateOperation) -> None:
        with self._shard() as shard:
            shard.update(operation)

    def _optimize_index(self, failed: bool) -> None:
        """Before another process may write: indexed, where the engine finds that it is worth it."""
        with self._shard() as shard:
            if not failed and shard.optimize():
                shard.flush()

    @contextmanager
    def _shard(self) -> Generator[edge.EdgeShard]:
        self._check_open()
        with self._translate_errors(), self._shards.using(self._load_shard) as shard:
            yield shard

    def _load_shard(self) -> edge.EdgeShard:
        if not self.exists():
            raise StoreError(f"there is no knowledge base in {self._folder}: run `ascertain add` first")
        return edge.EdgeShard.load(str(self._folder))

    def _graph_config(self) -> edge.HnswIndexConfig:
        """The graph as it is settled when the folder is made."""
        graph = self._settings.hnsw
        return edge.HnswIndexConfig(graph.m, graph.ef_construction, _FULL_SCAN_KILOBYTES)

    def _check_open(self) -> None:
        if self._is_closed:
            raise StoreError(f"the store in {self._folder} was closed: open it again")

    @contextmanager
    def _translate_errors(self) -> Generator[None]:
        try:
            yield
        except (AscertainError, KeyboardInterrupt, GeneratorExit, SystemExit):
            raise
        except BaseException as error:
            if is_disk_full(error):
                raise disk_full(self._folder) from error
            if not isinstance(error, Exception) and not is_panic(error):
                raise
            raise StoreError(f"the engine in {self._folder} failed ({error}): run `ascertain doctor`") from error
