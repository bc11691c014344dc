"""Qdrant's engine in this process, on a folder of the home.

The engine keeps vectors and indexes of its own in memory and locks its folder. A process keeps it open as long as no
other requests it, since opening takes from tenths of a second to seconds; one that asks touches a file beside it, and the
holder closes it between two operations.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, cast

import numpy as np
import qdrant_edge as edge
from filelock import FileLock, Timeout

from ascertain.core.errors import AscertainError, StoreBusy, StoreError
from ascertain.core.settings import StoreSettings
from ascertain.core.system.private_files import make_private_folder
from ascertain.stores.embedded.faults import disk_full, is_disk_full, is_panic
from ascertain.stores.embedded.home import WriterLock, measure_folder
from ascertain.stores.qdrant import schema
from ascertain.stores.qdrant.points import ACORN_SELECTIVITY, Payload, Point, Scored, Search, Stored, Vector, Weights
from ascertain.stores.qdrant.schema import INDEXES, WORDS, IndexKind, Where

_PAGE = 1_000
# Under so many kilobytes of vectors that a filter leaves, the engine looks at each; Qdrant's own default.
_FULL_SCAN_KILOBYTES = 10_000
# Every value, in effect: there is no way to ask for all.
_FACETS = 10_000_000

# A writer that waits looks every 0.05 s whether it may; a process that keeps writing would never let it.
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
        self._shards = take_folder(self._folder, settings.lock_seconds)
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
        make_private_folder(self._folder)

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
        return measure_folder(self._folder)

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
                give_back(self._shards)

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


def filter_of(where: Where) -> edge.Filter:
    """Conditions that hold together."""
    return edge.Filter(
        must=[_build_condition(each) for each in where.must] or None,
        should=[_build_condition(each) for each in where.should] or None,
        must_not=[_build_condition(each) for each in where.must_not] or None,
    )


def point_of(point: Point) -> edge.Point:
    """A point to write."""
    vector: dict[str, Any] = {name: values.tolist() for name, values in point.dense.items()}
    if point.words is not None:
        vector[WORDS] = sparse_of(point.words)
    return edge.Point(point.id, vector, dict(point.payload))


def sparse_of(weights: Weights) -> edge.SparseVector:
    """A sparse vector."""
    return edge.SparseVector(list(weights.places), list(weights.values))


def request_of(search: Search, where: Where, limit: int, fields: Sequence[str]) -> edge.QueryRequest:
    """A search."""
    query = sparse_of(search.query) if isinstance(search.query, Weights) else search.query.tolist()
    return edge.QueryRequest(
        limit,
        query=edge.Query.Nearest(query, using=search.vector),
        filter=filter_of(where),
        with_payload=list(fields),
        params=edge.SearchParams(
            hnsw_ef=search.breadth or None,
            exact=search.exact,
            acorn=edge.AcornSearchParams(enable=True, max_selectivity=ACORN_SELECTIVITY),
        ),
    )


def vector_of(vectors: object, name: str) -> Vector | None:
    """The dense vector of a name, of those that a point came with."""
    values = cast(Mapping[str, object], vectors).get(name) if isinstance(vectors, Mapping) else None
    return None if values is None else np.asarray(values, np.float32)


def index_of(kind: IndexKind) -> edge.PayloadSchemaParams:
    """Parameters of a payload index.

    Links in the vectors' graph for each value of a field (``enable_hnsw``) are made for the tenant alone: for every
    field they made the graph of 20,000 chunks take 16 times as long, and narrow filters are answered from the payload
    indexes.
    """
    match kind:
        case IndexKind.TENANT:
            return edge.KeywordIndexParams(is_tenant=True)
        case IndexKind.PREFIXES:
            return edge.KeywordIndexParams(prefix=True, enable_hnsw=False)
        case IndexKind.KEYWORD:
            return edge.KeywordIndexParams(enable_hnsw=False)
        case IndexKind.UUID:
            return edge.UuidIndexParams(enable_hnsw=False)
        case IndexKind.INTEGER:
            return edge.IntegerIndexParams(lookup=True, range=True, enable_hnsw=False)
        case IndexKind.MOMENT:
            return edge.DatetimeIndexParams(enable_hnsw=False)
        case IndexKind.WORDS:
            return edge.TextIndexParams(
                tokenizer=edge.TokenizerType.Whitespace, lowercase=False, phrase_matching=True, enable_hnsw=False
            )


def _build_condition(condition: schema.Condition) -> edge.ConditionType:
    match condition:
        case schema.AnyOf(key, values):
            if len(values) == 1:
                return edge.FieldCondition(key, match=edge.MatchValue(values[0]))
            return edge.FieldCondition(key, match=edge.MatchAny(cast("list[str]", list(values))))
        case schema.StartsWith(key, prefix):
            return edge.FieldCondition(key, match=edge.MatchPrefix(prefix))
        case schema.Phrase(key, tokens):
            if len(tokens) == 1:
                return edge.FieldCondition(key, match=edge.MatchText(tokens[0]))
            return edge.FieldCondition(key, match=edge.MatchPhrase(" ".join(tokens)))
        case schema.AnyWord(key, tokens):
            return edge.FieldCondition(key, match=edge.MatchTextAny(" ".join(tokens)))
        case schema.Period(key, start, end):
            return edge.FieldCondition(key, range=edge.RangeDateTime(gte=start, lt=end))
        case schema.Numbers(key, first, last):
            return edge.FieldCondition(key, range=edge.RangeFloat(gte=first, lte=last))
        case schema.Lacks(key):
            return edge.IsEmptyCondition(key)
        case schema.PointIds(ids):
            return edge.HasIdCondition(set(ids))
        case schema.HasVector(name):
            return edge.HasVectorCondition(name)
        case Where():
            return filter_of(condition)


# How often a waiting process tries again and a holder looks for one; far below what opening takes.
_POLL_SECONDS = 0.02
# A wish not renewed for so long is that of a process that has died.
_WISH_SECONDS = 1.0

Opener = Callable[[], edge.EdgeShard]


class EdgeShardFolder:
    """One folder as this process has it: shared by all its stores and threads, opened when it is first used.

    Raises StoreBusy when another process keeps it for longer than ``seconds``.
    """

    def __init__(self, folder: Path, seconds: float) -> None:
        self.folder = folder
        self._seconds = seconds
        self._wish = folder.with_name(folder.name + ".wanted")
        self._lock = FileLock(folder.with_name(folder.name + ".lock"), thread_local=False)
        self._state = threading.Condition()
        self._shard: edge.EdgeShard | None = None
        self._users = 0
        self._mine = threading.local()
        self._is_leaving = False
        self._may_leave_at = 0.0

    @contextmanager
    def using(self, opener: Opener) -> Generator[edge.EdgeShard]:
        """The open shard; it stays open until the end of the block. ``opener`` opens it if needed."""
        depth: int = getattr(self._mine, "depth", 0)
        with self._state:
            # Current users continue, or none could leave.
            self._state.wait_for(lambda: depth > 0 or not self._is_leaving)
            shard = self._shard or self._open_shard(opener)
            self._users += 1
        self._mine.depth = depth + 1
        try:
            yield shard
        finally:
            self._mine.depth -= 1
            with self._state:
                self._users -= 1
                self._state.notify_all()

    def release(self) -> None:
        """Close the shard, when it is no longer used."""
        with self._state:
            self._state.wait_for(lambda: self._users == 0)
            self._close_shard()

    def _open_shard(self, opener: Opener) -> edge.EdgeShard:
        self._acquire_lock(time.monotonic() + self._seconds)
        with suppress(OSError):
            self._wish.unlink(missing_ok=True)
        began = time.monotonic()
        try:
            shard = opener()
        except BaseException:
            self._lock.release()
            raise
        # Two processes that use it all the time spend at most half of it on opening.
        self._may_leave_at = 2 * time.monotonic() - began
        self._shard = shard
        threading.Thread(target=self._watch_wishes, args=(shard,), name="qdrant-folder", daemon=True).start()
        return shard

    def _acquire_lock(self, until: float) -> None:
        while True:
            with suppress(Timeout):
                self._lock.acquire(timeout=0)
                return
            if time.monotonic() > until:
                raise StoreBusy(
                    f"another ascertain process has kept {self.folder} open for more than {self._seconds:g} s: "
                    "try again when it has finished, or raise store.lock_seconds"
                )
            self._wish.touch()
            time.sleep(_POLL_SECONDS)

    def _watch_wishes(self, shard: edge.EdgeShard) -> None:
        """Close the shard when another process wants it; ends when it is closed."""
        while self._shard is shard:
            time.sleep(_POLL_SECONDS)
            if time.monotonic() < self._may_leave_at or not self._is_wanted():
                continue
            with self._state:
                if self._shard is not shard:
                    return
                self._is_leaving = True
                try:
                    self._state.wait_for(lambda: self._users == 0)
                    self._close_shard()
                finally:
                    self._is_leaving = False
                    self._state.notify_all()
                # The others go first: they have waited.
                self._let_others_in()

    def _let_others_in(self) -> None:
        until = time.monotonic() + 5 * _POLL_SECONDS
        while time.monotonic() < until and self._is_wanted():
            time.sleep(_POLL_SECONDS / 4)

    def _is_wanted(self) -> bool:
        try:
            return time.time() - self._wish.stat().st_mtime < _WISH_SECONDS
        except OSError:
            return False

    def _close_shard(self) -> None:
        if self._shard is not None:
            shard, self._shard = self._shard, None
            try:
                shard.close()
            finally:
                self._lock.release()


_folders: dict[Path, tuple[EdgeShardFolder, int]] = {}
_mutex = threading.Lock()


def take_folder(folder: Path, seconds: float) -> EdgeShardFolder:
    """The one object that this process has for a folder; return it with ``give_back``."""
    key = folder.resolve()
    with _mutex:
        found, users = _folders.get(key) or (EdgeShardFolder(key, seconds), 0)
        _folders[key] = found, users + 1
        return found


def give_back(folder: EdgeShardFolder) -> None:
    """Release a folder for one of its users; the last one closes it."""
    with _mutex:
        found, users = _folders.get(folder.folder, (folder, 0))
        if found is not folder or users < 1:
            raise StoreError(f"{folder.folder} was closed before")
        if users > 1:
            _folders[folder.folder] = found, users - 1
            return
        del _folders[folder.folder]
    folder.release()
