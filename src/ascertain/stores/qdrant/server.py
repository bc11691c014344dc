"""A Qdrant server, over its REST interface: its language, the connection, and the points of a collection there."""

import logging
import os
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Final, cast
from urllib.parse import urlsplit

import httpx
import numpy as np
from qdrant_client import QdrantClient, models
from qdrant_client.common.client_exceptions import QdrantException
from qdrant_client.http.exceptions import ApiException, ResponseHandlingException, UnexpectedResponse

from ascertain.core.errors import ConfigurationError, StoreError
from ascertain.core.settings import StoreSettings
from ascertain.stores.qdrant import schema
from ascertain.stores.qdrant.points import ACORN_SELECTIVITY, Payload, Point, Scored, Search, Stored, Vector, Weights
from ascertain.stores.qdrant.schema import INDEXES, WORDS, IndexKind, Where


def filter_of(where: Where) -> models.Filter:
    """Conditions that hold together."""
    return models.Filter(
        must=[_build_condition(each) for each in where.must] or None,
        should=[_build_condition(each) for each in where.should] or None,
        must_not=[_build_condition(each) for each in where.must_not] or None,
    )


def point_of(point: Point) -> models.PointStruct:
    """A point to write."""
    vector: dict[str, Any] = {name: values.tolist() for name, values in point.dense.items()}
    if point.words is not None:
        vector[WORDS] = sparse_of(point.words)
    return models.PointStruct(id=point.id, vector=vector, payload=dict(point.payload))


def sparse_of(weights: Weights) -> models.SparseVector:
    """A sparse vector."""
    return models.SparseVector(indices=list(weights.places), values=list(weights.values))


def vector_of(vectors: object, name: str) -> Vector | None:
    """The dense vector of a name, of those that a point came with."""
    values = cast(Mapping[str, object], vectors).get(name) if isinstance(vectors, Mapping) else None
    return None if values is None else np.asarray(values, np.float32)


def index_of(kind: IndexKind) -> models.PayloadSchemaParams:
    """Parameters of a payload index; see ``edge.index_of`` for ``enable_hnsw``."""
    match kind:
        case IndexKind.TENANT:
            return models.KeywordIndexParams(type=models.KeywordIndexType.KEYWORD, is_tenant=True)
        case IndexKind.PREFIXES:
            return models.KeywordIndexParams(type=models.KeywordIndexType.KEYWORD, prefix=True, enable_hnsw=False)
        case IndexKind.KEYWORD:
            return models.KeywordIndexParams(type=models.KeywordIndexType.KEYWORD, enable_hnsw=False)
        case IndexKind.UUID:
            return models.UuidIndexParams(type=models.UuidIndexType.UUID, enable_hnsw=False)
        case IndexKind.INTEGER:
            return models.IntegerIndexParams(
                type=models.IntegerIndexType.INTEGER, lookup=True, range=True, enable_hnsw=False
            )
        case IndexKind.MOMENT:
            return models.DatetimeIndexParams(type=models.DatetimeIndexType.DATETIME, enable_hnsw=False)
        case IndexKind.WORDS:
            return models.TextIndexParams(
                type=models.TextIndexType.TEXT,
                tokenizer=models.TokenizerType.WHITESPACE,
                lowercase=False,
                phrase_matching=True,
                enable_hnsw=False,
            )


def _build_condition(condition: schema.Condition) -> models.Condition:
    match condition:
        case schema.AnyOf(key, values):
            if len(values) == 1:
                return models.FieldCondition(key=key, match=models.MatchValue(value=values[0]))
            return models.FieldCondition(key=key, match=models.MatchAny(any=cast("list[str]", list(values))))
        case schema.StartsWith(key, prefix):
            return models.FieldCondition(key=key, match=models.MatchPrefix(prefix=prefix))
        case schema.Phrase(key, tokens):
            if len(tokens) == 1:
                return models.FieldCondition(key=key, match=models.MatchText(text=tokens[0]))
            return models.FieldCondition(key=key, match=models.MatchPhrase(phrase=" ".join(tokens)))
        case schema.AnyWord(key, tokens):
            return models.FieldCondition(key=key, match=models.MatchTextAny(text_any=" ".join(tokens)))
        case schema.Period(key, start, end):
            # The client's model parses these texts by itself.
            period = models.DatetimeRange.model_validate({"gte": start, "lt": end})
            return models.FieldCondition(key=key, range=period)
        case schema.Numbers(key, first, last):
            return models.FieldCondition(key=key, range=models.Range(gte=first, lte=last))
        case schema.Lacks(key):
            return models.IsEmptyCondition(is_empty=models.PayloadField(key=key))
        case schema.PointIds(ids):
            return models.HasIdCondition(has_id=list(ids))
        case schema.HasVector(name):
            return models.HasVectorCondition(has_vector=name)
        case Where():
            return filter_of(condition)


_logger = logging.getLogger("ascertain.stores")

# Keywords are looked up by how they begin since 1.19 (github.com/qdrant/qdrant, release notes).
MINIMUM: Final = (1, 19)
# The least detail at which the server tells of each collection and its shards.
_SHARDS_IN_TELEMETRY: Final = 3
_LOOPBACK: Final = {"localhost", "127.0.0.1", "::1"}


class _Connection:
    """A client and its errors in our terms. Safe to use from several threads."""

    def __init__(self, settings: StoreSettings) -> None:
        self._settings = settings
        parts = urlsplit(settings.url)
        if parts.scheme not in {"http", "https"} or not parts.hostname:
            raise ConfigurationError("store.url must look like http://host:6333 for qdrant")
        port = f":{parts.port}" if parts.port else ""
        host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
        self.server = f"{parts.scheme}://{host}{port}{parts.path.rstrip('/')}"
        key = os.environ.get(settings.key_variable) or parts.password
        if key and parts.scheme == "http" and parts.hostname not in _LOOPBACK:
            _logger.warning("the key of %s travels unencrypted: use an https address", self.server)
        self._client: QdrantClient | None = QdrantClient(
            url=self.server,
            port=parts.port or (443 if parts.scheme == "https" else 6333),
            # As a header, for which the client has no warning of its own.
            headers={"api-key": key} if key else None,
            timeout=max(1, round(settings.timeout_seconds)),
            check_compatibility=False,
            limits=httpx.Limits(max_connections=settings.connections, max_keepalive_connections=settings.connections),
        )

    @contextmanager
    def client(self, accepted: Sequence[int] = ()) -> Generator[QdrantClient]:
        """The client; its errors become StoreError, except for HTTP answers of an ``accepted`` status."""
        if self._client is None:
            raise StoreError(f"the store on {self.server} was closed: open it again")
        try:
            yield self._client
        except UnexpectedResponse as error:
            if error.status_code not in accepted:
                raise self._refusal_error(error) from error
        except ResponseHandlingException as error:
            raise self._connection_error(error.source) from error
        except (ApiException, QdrantException) as error:
            raise StoreError(f"{self.server} refused the request: {error}") from error

    def check_version(self) -> None:
        """Raise StoreError for a server that lacks what the store needs."""
        with self.client() as client:
            version = client.info().version
        numbers = tuple(int(part) for part in version.split(".")[:2] if part.isdigit())
        if len(numbers) == 2 and numbers < MINIMUM:
            raise StoreError(
                f"{self.server} is Qdrant {version}; the store needs {MINIMUM[0]}.{MINIMUM[1]} or newer: upgrade the server"
            )

    def bytes_on_disk(self, collection: str) -> int:
        """Vectors and payloads of the collection as the server estimates them; 0 where that may not be read."""
        with self.client(accepted=(401, 403)) as client:
            telemetry = client.http.service_api.telemetry(details_level=_SHARDS_IN_TELEMETRY).result
            collections = telemetry.collections.collections if telemetry else None
            return sum(
                (shard.local.vectors_size_bytes or 0) + (shard.local.payloads_size_bytes or 0)
                for each in collections or ()
                if isinstance(each, models.CollectionTelemetry) and each.id == collection
                for shard in each.shards or ()
                if shard.local is not None
            )
        return 0

    def close(self) -> None:
        """Close the connections; further calls raise StoreError."""
        client, self._client = self._client, None
        if client is not None:
            client.close()

    def _refusal_error(self, error: UnexpectedResponse) -> StoreError:
        reason = error.content.decode("utf-8", "replace")[:300]
        if error.status_code in {401, 403}:
            return StoreError(
                f"{self.server} refused the key: put a valid one into the environment variable {self._settings.key_variable}"
            )
        if error.status_code == 404 and self._settings.name in reason:
            return StoreError(
                f"{self.server} has no collection {self._settings.name}: run `ascertain add` to create one"
            )
        return StoreError(f"{self.server} answered {error.status_code}: {reason}; see the server's log, then try again")

    def _connection_error(self, source: Exception) -> StoreError:
        if isinstance(source, httpx.TimeoutException):
            return StoreError(
                f"{self.server} did not answer within {self._settings.timeout_seconds:g} s: try again, "
                "or raise store.timeout_seconds"
            )
        return StoreError(f"{self.server} cannot be reached ({source}): start the server or correct store.url")


_PAGE = 1_000
# Every value, in effect: there is no way to ask for all.
_FACETS = 10_000_000
# Points by id in one request; an id takes 39 bytes there.
_IDS = 10_000


class ServerPoints:
    """``Points`` in a collection of a server. Safe to use from several threads."""

    is_shared = True

    def __init__(self, settings: StoreSettings) -> None:
        self._settings = settings
        self._collection = settings.name
        self._connection = _Connection(settings)

    @property
    def place(self) -> str:
        return f"the collection {self._collection} of {self._connection.server}"

    def exists(self) -> bool:
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

    @contextmanager
    def operation(self) -> Generator[None]:
        """Nothing is expensive to begin."""
        yield

    @contextmanager
    def writing(self) -> Generator[None]:
        """Writers work side by side."""
        yield

    def upsert(self, points: Sequence[Point]) -> None:
        with self._connection.client() as client:
            client.upsert(self._collection, [point_of(point) for point in points], wait=True)

    def insert(self, points: Sequence[Point]) -> None:
        with self._connection.client() as client:
            client.upsert(
                self._collection,
                [point_of(point) for point in points],
                wait=True,
                ordering=models.WriteOrdering.STRONG,
                update_mode=models.UpdateMode.INSERT_ONLY,
            )

    def replace(self, points: Sequence[Point], where: Where) -> None:
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
        with self._connection.client() as client:
            client.set_payload(self._collection, dict(payload), filter_of(where), wait=True)

    def put_vectors(self, vectors: Mapping[str, Vector], name: str) -> None:
        here = [point.id for point in self.retrieve(list(vectors), ())]
        present = [models.PointVectors(id=point, vector={name: vectors[point].tolist()}) for point in here]
        if present:
            with self._connection.client() as client:
                client.update_vectors(self._collection, present, wait=True)

    def delete(self, where: Where) -> None:
        with self._connection.client() as client:
            client.delete(self._collection, models.FilterSelector(filter=filter_of(where)), wait=True)

    def settle(self) -> None:
        """The server has its log on the disk when it answers, and optimizes by itself."""

    def search(self, search: Search, where: Where, limit: int, fields: Sequence[str]) -> list[Scored]:
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
        found: list[models.Record] = []
        for start in range(0, len(ids), _IDS):
            with self._connection.client() as client:
                found += client.retrieve(
                    self._collection, list(ids[start : start + _IDS]), list(fields), with_vectors=False
                )
        return [Stored(str(point.id), point.payload or {}) for point in found]

    def scroll(self, where: Where, fields: Sequence[str], vector: str | None = None) -> Iterator[Stored]:
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
        with self._connection.client() as client:
            return client.count(self._collection, filter_of(where), exact=True).count

    def estimate(self, where: Where) -> int:
        with self._connection.client() as client:
            return client.count(self._collection, filter_of(where), exact=False).count

    def facet(self, key: str, where: Where) -> dict[str | int, int]:
        with self._connection.client() as client:
            found = client.facet(self._collection, key, filter_of(where), _FACETS, exact=True)
        return {hit.value: hit.count for hit in found.hits}

    def extreme(self, key: str, where: Where, last: bool) -> Stored | None:
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
        with self._connection.client() as client:
            return set(client.get_collection(self._collection).payload_schema)

    def add_index(self, field: str) -> None:
        with self._connection.client() as client:
            client.create_payload_index(self._collection, field, index_of(INDEXES[field]), wait=True)

    def add_vector(self, name: str, dimension: int) -> None:
        with self._connection.client() as client:
            if name in _vector_names(client.get_collection(self._collection)):
                return
            dense = models.DenseVectorConfig(size=dimension, distance=models.Distance.DOT)
            config = models.DenseVectorNameConfig(dense=dense)
            client.create_vector_name(self._collection, name, config, wait=True)

    def remove_vector(self, name: str) -> None:
        with self._connection.client() as client:
            if name in _vector_names(client.get_collection(self._collection)):
                client.delete_vector_name(self._collection, name, wait=True)

    def bytes_on_disk(self) -> int:
        """Of vectors and payloads as the server's telemetry estimates them; 0 where the key may not read that."""
        return self._connection.bytes_on_disk(self._collection)

    def condition(self) -> tuple[tuple[str, ...], dict[str, str]]:
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
        self._connection.close()


def _vector_names(info: models.CollectionInfo) -> set[str]:
    """The names of the dense vectors; a collection of one without a name is not ours."""
    vectors = info.config.params.vectors
    return set(vectors) if isinstance(vectors, dict) else set()
