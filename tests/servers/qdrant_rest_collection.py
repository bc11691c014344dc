"""One collection of the test server: requests as qdrant-client's models, answered by an edge shard."""

import json
import shutil
import threading
from contextlib import suppress

import qdrant_edge as edge
from qdrant_client.http import models
from qdrant_rest_terms import (
    dense_params,
    filter_of,
    index_of,
    output_of,
    point_of,
    query_of,
    selector_of,
    sparse_params,
    vectors_of,
)

_Update = edge.UpdateOperation


class Missing(Exception):
    """404."""


class Conflict(Exception):
    """409."""


class Collection:
    """Operations on one shard. The engine takes several threads at once; what is read of its parameters is kept here."""

    def __init__(self, folder, shard, params):
        self._folder = folder
        self._shard = shard
        self._params = params
        self._mutex = threading.Lock()

    @classmethod
    def created(cls, folder, body):
        request = models.CreateCollection.model_validate(body)
        folder.mkdir(parents=True)
        config = edge.EdgeConfig(dense_params(request.vectors), sparse_params(request.sparse_vectors))
        shard = edge.EdgeShard.create(str(folder), config)
        kept = {"vectors": body["vectors"], "sparse_vectors": body["sparse_vectors"]}
        collection = cls(folder, shard, kept)
        collection._keep_params()
        return collection

    @classmethod
    def opened(cls, folder):
        params = json.loads(folder.with_suffix(".params").read_text())
        return cls(folder, edge.EdgeShard.load(str(folder)), params)

    def close(self):
        self._shard.close()

    def delete(self):
        self.close()
        shutil.rmtree(self._folder)
        self._folder.with_suffix(".params").unlink()

    def telemetry(self):
        size = 0
        with suppress(OSError):  # it may be deleted meanwhile
            size = sum(path.stat().st_size for path in self._folder.rglob("*") if path.is_file())
        local = {"total_optimized_points": 0, "vectors_size_bytes": size // 2, "payloads_size_bytes": size // 2}
        return {"id": 0, "local": local, "remote": [], "replicate_states": {"0": "Active"}}

    def do(self, method, parts, body):
        match parts:
            case ["vectors", name]:
                return self._create_vector(name, body) if method == "PUT" else self._delete_vector(name)
            case ["index", field]:
                return self._update(_Update.delete_field_index(field))
        operation = {
            ("GET",): self._info,
            ("PATCH",): self._configure,
            ("PUT", "index"): self._create_index,
            ("PUT", "points"): self._upsert,
            ("POST", "points"): self._retrieve,
            ("PUT", "points", "vectors"): self._update_vectors,
            ("POST", "points", "payload"): self._set_payload,
            ("POST", "points", "delete"): self._delete,
            ("POST", "points", "query"): self._query,
            ("POST", "points", "scroll"): self._scroll,
            ("POST", "points", "count"): self._count,
            ("POST", "facet"): self._facet,
        }.get((method, *parts))
        if operation is None:
            raise Missing("no such path")
        return operation(body)

    def _info(self, _):
        info = self._asked(self._shard.info)
        schema = {
            field: {"data_type": str(index.data_type).rpartition(".")[2].lower(), "points": index.points}
            for field, index in info.payload_schema.items()
        }
        config = {
            "params": {**self._params, "shard_number": 1},
            "hnsw_config": {"m": 16, "ef_construct": 100, "full_scan_threshold": 10_000},
            "optimizer_config": {"deleted_threshold": 0.2, "vacuum_min_vector_number": 1000}
            | {"default_segment_number": 0, "flush_interval_sec": 5},
        }
        counts = {"points_count": info.points_count, "segments_count": info.segments_count}
        answer = {"status": "green", "optimizer_status": "ok", "config": config, "payload_schema": schema}
        return answer | counts | {"indexed_vectors_count": info.indexed_vectors_count}

    def _configure(self, body):
        """Thresholds of the optimizer, which goes over the points with them now: a real server does so in its own time."""
        given = models.UpdateCollection.model_validate(body).optimizers_config
        kept = models.CreateCollection.model_validate(self._params)
        config = edge.EdgeConfig(
            dense_params(kept.vectors),
            sparse_params(kept.sparse_vectors),
            optimizers=edge.EdgeOptimizersConfig(given.deleted_threshold, given.vacuum_min_vector_number),
        )
        with self._mutex:
            self._shard.close()
            self._shard = edge.EdgeShard.load(str(self._folder), config)
            self._asked(self._shard.optimize)
        return True

    def _create_index(self, body):
        request = models.CreateFieldIndex.model_validate(body)
        return self._update(_Update.create_field_index(request.field_name, index_of(request.field_schema)))

    def _create_vector(self, name, body):
        config = models.DenseVectorNameConfig.model_validate(body).dense
        with self._mutex:
            self._update(_Update.create_dense_vector(name, config.size, edge.Distance.Dot))
            self._params["vectors"][name] = {"size": config.size, "distance": config.distance.value}
            self._keep_params()
        return _done()

    def _delete_vector(self, name):
        with self._mutex:
            self._update(_Update.delete_vector_name(name))
            self._params["vectors"].pop(name, None)
            self._keep_params()
        return _done()

    def _upsert(self, body):
        request = models.PointsList.model_validate(body)
        mode = {
            None: None,
            models.UpdateMode.UPSERT: None,
            models.UpdateMode.INSERT_ONLY: edge.UpdateMode.InsertOnly,
            models.UpdateMode.UPDATE_ONLY: edge.UpdateMode.UpdateOnly,
        }[request.update_mode]
        condition = filter_of(request.update_filter) if request.update_filter else None
        return self._update(_Update.upsert_points([point_of(p) for p in request.points], condition, mode))

    def _update_vectors(self, body):
        request = models.UpdateVectors.model_validate(body)
        vectors = [edge.PointVectors(str(each.id), vectors_of(each.vector)) for each in request.points]
        return self._update(_Update.update_vectors(vectors))

    def _set_payload(self, body):
        request = models.SetPayload.model_validate(body)
        return self._update(_Update.set_payload_by_filter(filter_of(request.filter), request.payload))

    def _retrieve(self, body):
        request = models.PointRequest.model_validate(body)
        with_vector = request.with_vector if request.with_vector is not None else False
        ids = [str(each) for each in request.ids]
        found = self._asked(self._shard.retrieve, ids, selector_of(request.with_payload), with_vector)
        return [output_of(point) for point in found]

    def _query(self, body):
        request = models.QueryRequest.model_validate(body)
        found = self._asked(self._shard.query, query_of(request))
        return {"points": [output_of(point) | {"version": 0, "score": point.score} for point in found]}

    def _scroll(self, body):
        request = models.ScrollRequest.model_validate(body)
        order = request.order_by and edge.OrderBy(
            request.order_by.key,
            edge.Direction.Desc if request.order_by.direction is models.Direction.DESC else edge.Direction.Asc,
        )
        found, following = self._asked(
            self._shard.scroll,
            edge.ScrollRequest(
                request.offset,
                request.limit,
                filter_of(request.filter),
                selector_of(request.with_payload),
                request.with_vector or False,
                order,
            ),
        )
        return {
            "points": [output_of(point) for point in found],
            "next_page_offset": None if following is None else str(following),
        }

    def _delete(self, body):
        request = models.FilterSelector.model_validate(body)
        return self._update(_Update.delete_points_by_filter(filter_of(request.filter)))

    def _count(self, body):
        request = models.CountRequest.model_validate(body)
        condition = edge.CountRequest(exact=bool(request.exact), filter=filter_of(request.filter))
        return {"count": self._asked(self._shard.count, condition)}

    def _facet(self, body):
        request = models.FacetRequest.model_validate(body)
        condition = filter_of(request.filter)
        facet = edge.FacetRequest(request.key, request.limit or 10, bool(request.exact), condition)
        hits = self._asked(self._shard.facet, facet).hits
        return {"hits": [{"value": hit.value, "count": hit.count} for hit in hits]}

    def _update(self, operation):
        self._asked(self._shard.update, operation)
        return _done()

    def _asked(self, function, *arguments):
        try:
            return function(*arguments)
        except Exception as error:
            raise ValueError(str(error)) from error

    def _keep_params(self):
        self._folder.with_suffix(".params").write_text(json.dumps(self._params))


def _done():
    return {"operation_id": 0, "status": "completed"}
