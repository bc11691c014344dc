"""The points of a collection on a Qdrant server: what the store reads and writes there."""

from collections.abc import Iterator, Mapping, Sequence

from qdrant_client import models

from ascertain.core.settings import StoreSettings
from ascertain.stores.qdrant.connection import Connection
from ascertain.stores.qdrant.schema import INDEXES, WORDS, Where
from ascertain.stores.qdrant.terms import (
    ACORN_SELECTIVITY,
    Payload,
    Point,
    Scored,
    Search,
    Stored,
    Vector,
    Weights,
    filter_of,
    index_of,
    point_of,
    sparse_of,
    vector_of,
)

_PAGE = 1_000
# Every value, in effect: there is no way to ask for all.
_FACETS = 10_000_000
# Points by id in one request; an id takes 39 bytes there.
_IDS = 10_000


class Points:
    """The points of one collection. Safe to use from several threads.

    Every method raises StoreError with the remedy when Qdrant cannot be used. ``fields`` names the payload fields to read. Writes
    are done, and searches see them, when their method returns.
    """

    def __init__(self, settings: StoreSettings) -> None:
        self._settings = settings
        self._collection = settings.name
        self._connection = Connection(settings)

    @property
    def place(self) -> str:
        """The collection and its server, without secrets."""
        return f"the collection {self._collection} of {self._connection.server}"

    def exists(self) -> bool:
        """Whether there is a collection."""
        with self._connection.client() as client:
            return client.collection_exists(self._collection)

    def create(self, vector: str, dimension: int) -> None:
        """Make the collection and its indexes; one that another process is making is completed by both."""
        self._connection.check_version()
        graph = self._settings.hnsw
        if not self.exists():
            with self._connection.client(accepted=(409,)) as client:
                client.create_collection(
                    self._collection,
                    vectors_config={vector: models.VectorParams(size=dimension, distance=models.Distance.DOT)},
                    sparse_vectors_config={WORDS: models.SparseVectorParams(modifier=models.Modifier.IDF)},
                    hnsw_config=models.HnswConfigDiff(m=graph.m, ef_construct=graph.ef_construction),
                    on_disk_payload=True,
                )
        for field in sorted(INDEXES.keys() - self.indexes()):
            self.add_index(field)

    def upsert(self, points: Sequence[Point]) -> None:
        """Write points, each over what it was."""
        with self._connection.client() as client:
            client.upsert(self._collection, [point_of(point) for point in points], wait=True)

    def insert(self, points: Sequence[Point]) -> None:
        """Write each point unless there is one of its id; each in one step."""
        with self._connection.client() as client:
            client.upsert(
                self._collection,
                [point_of(point) for point in points],
                wait=True,
                ordering=models.WriteOrdering.STRONG,
                update_mode=models.UpdateMode.INSERT_ONLY,
            )

    def replace(self, points: Sequence[Point], where: Where) -> None:
        """Write each point over the present one if there is one that meets ``where``; each in one step."""
        with self._connection.client() as client:
            client.upsert(
                self._collection,
                [point_of(point) for point in points],
                wait=True,
                ordering=models.WriteOrdering.STRONG,
                update_filter=filter_of(where),
                update_mode=models.UpdateMode.UPDATE_ONLY,
            )

    def set_payload(self, where: Where, payload: Payload) -> None:
        """Set fields of the points that meet ``where``; others stay. None clears."""
        with self._connection.client() as client:
            client.set_payload(self._collection, dict(payload), filter_of(where), wait=True)

    def put_vectors(self, vectors: Mapping[str, Vector], name: str) -> None:
        """Set one dense vector of points by their id; missing ones are ignored."""
        here = [point.id for point in self.retrieve(list(vectors), ())]
        present = [models.PointVectors(id=point, vector={name: vectors[point].tolist()}) for point in here]
        if present:
            with self._connection.client() as client:
                client.update_vectors(self._collection, present, wait=True)

    def delete(self, where: Where) -> None:
        """Delete the points that meet ``where``."""
        with self._connection.client() as client:
            client.delete(self._collection, models.FilterSelector(filter=filter_of(where)), wait=True)

    def search(self, search: Search, where: Where, limit: int, fields: Sequence[str]) -> list[Scored]:
        """The best ``limit`` points, best first; of a search by words only those with a match."""
        query = sparse_of(search.query) if isinstance(search.query, Weights) else search.query.tolist()
        with self._connection.client() as client:
            found = client.query_points(
                self._collection,
                query,
                using=search.vector,
                query_filter=filter_of(where),
                search_params=models.SearchParams(
                    hnsw_ef=search.breadth or None,
                    exact=search.exact,
                    acorn=models.AcornSearchParams(enable=True, max_selectivity=ACORN_SELECTIVITY),
                ),
                limit=limit,
                with_payload=list(fields),
            )
        return [Scored(str(point.id), point.score, point.payload or {}) for point in found.points]

    def retrieve(self, ids: Sequence[str], fields: Sequence[str]) -> list[Stored]:
        """Those of the points that exist."""
        found: list[models.Record] = []
        for start in range(0, len(ids), _IDS):
            with self._connection.client() as client:
                found += client.retrieve(
                    self._collection, list(ids[start : start + _IDS]), list(fields), with_vectors=False
                )
        return [Stored(str(point.id), point.payload or {}) for point in found]

    def scroll(self, where: Where, fields: Sequence[str], vector: str | None = None) -> Iterator[Stored]:
        """The points that meet ``where``, page by page, in order of id."""
        condition = filter_of(where)
        offset = None
        while True:
            with self._connection.client() as client:
                found, offset = client.scroll(
                    self._collection,
                    condition,
                    _PAGE,
                    offset=offset,
                    with_payload=list(fields),
                    with_vectors=False if vector is None else [vector],
                )
            for point in found:
                stored = vector_of(point.vector, vector) if vector is not None else None
                yield Stored(str(point.id), point.payload or {}, stored)
            if offset is None:
                return

    def count(self, where: Where) -> int:
        """How many points meet ``where``."""
        with self._connection.client() as client:
            return client.count(self._collection, filter_of(where), exact=True).count

    def estimate(self, where: Where) -> int:
        """About how many points meet ``where``, from the indexes alone; those deleted of late may be counted still."""
        with self._connection.client() as client:
            return client.count(self._collection, filter_of(where), exact=False).count

    def facet(self, key: str, where: Where) -> dict[str | int, int]:
        """How many of the points that meet ``where`` have each value of an indexed field."""
        with self._connection.client() as client:
            found = client.facet(self._collection, key, filter_of(where), _FACETS, exact=True)
        return {hit.value: hit.count for hit in found.hits}

    def extreme(self, key: str, where: Where, last: bool) -> Stored | None:
        """The first or last point by a field whose index has an order, with its ``body``; None where there is none."""
        direction = models.Direction.DESC if last else models.Direction.ASC
        with self._connection.client() as client:
            found, _ = client.scroll(
                self._collection,
                filter_of(where),
                1,
                order_by=models.OrderBy(key=key, direction=direction),
                with_payload=["body"],
            )
        return Stored(str(found[0].id), found[0].payload or {}) if found else None

    def indexes(self) -> set[str]:
        """The payload fields that have an index."""
        with self._connection.client() as client:
            return set(client.get_collection(self._collection).payload_schema)

    def add_index(self, field: str) -> None:
        """Index one of ``schema.INDEXES``."""
        with self._connection.client() as client:
            client.create_payload_index(self._collection, field, index_of(INDEXES[field]), wait=True)

    def add_vector(self, name: str, dimension: int) -> None:
        """Allow for a dense vector; does nothing if the name exists."""
        with self._connection.client() as client:
            if name in _vector_names(client.get_collection(self._collection)):
                return
            dense = models.DenseVectorConfig(size=dimension, distance=models.Distance.DOT)
            config = models.DenseVectorNameConfig(dense=dense)
            client.create_vector_name(self._collection, name, config, wait=True)

    def remove_vector(self, name: str) -> None:
        """Drop a dense vector from all points; does nothing if there is none."""
        with self._connection.client() as client:
            if name in _vector_names(client.get_collection(self._collection)):
                client.delete_vector_name(self._collection, name, wait=True)

    def bytes_on_disk(self) -> int:
        """Of vectors and payloads as the server's telemetry estimates them; 0 where the key may not read that."""
        return self._connection.bytes_on_disk(self._collection)

    def condition(self) -> tuple[tuple[str, ...], dict[str, str]]:
        """The problems of the engine, and facts about it."""
        with self._connection.client() as client:
            info = client.get_collection(self._collection)
            version = client.info().version
        problems: list[str] = []
        if info.status == models.CollectionStatus.RED:
            problems.append(f"Qdrant reports the collection as {info.status.value}: see the server's log")
        if isinstance(info.optimizer_status, models.OptimizersStatusOneOf1):
            problems.append(f"Qdrant's optimizer failed: {info.optimizer_status.error}")
        return tuple(problems), {
            "server": f"Qdrant {version}, {info.status.value}, {info.segments_count} segments, "
            f"{info.indexed_vectors_count or 0} vectors indexed"
        }

    def close(self) -> None:
        """Release what is open; further calls raise StoreError."""
        self._connection.close()


def _vector_names(info: models.CollectionInfo) -> set[str]:
    """The names of the dense vectors; a collection of one without a name is not ours."""
    vectors = info.config.params.vectors
    return set(vectors) if isinstance(vectors, dict) else set()
