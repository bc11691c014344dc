"""The terms of ``conditions`` and ``points`` as the engine in the process takes them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

import numpy as np
import qdrant_edge as edge

from ascertain.stores.qdrant.conditions import (
    AnyOf,
    AnyWord,
    Condition,
    HasVector,
    Lacks,
    Numbers,
    Period,
    Phrase,
    Points,
    StartsWith,
    Where,
)
from ascertain.stores.qdrant.names import WORDS
from ascertain.stores.qdrant.points import ACORN_SELECTIVITY, Point, Search, Vector, Weights
from ascertain.stores.qdrant.schema import IndexKind


def filter_of(where: Where) -> edge.Filter:
    """Conditions that hold together."""
    return edge.Filter(
        must=[_condition(each) for each in where.must] or None,
        should=[_condition(each) for each in where.should] or None,
        must_not=[_condition(each) for each in where.must_not] or None,
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

    Links in the vectors' graph for each value of a field (``enable_hnsw``) are made for the tenant alone: for every field they
    made the graph of 20,000 chunks take 16 times as long, and narrow filters are answered from the payload indexes.
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
                tokenizer=edge.TokenizerType.Whitespace,
                lowercase=False,
                phrase_matching=True,
                enable_hnsw=False,
            )


def _condition(condition: Condition) -> edge.ConditionType:
    match condition:
        case AnyOf(key, values):
            if len(values) == 1:
                return edge.FieldCondition(key, match=edge.MatchValue(values[0]))
            return edge.FieldCondition(key, match=edge.MatchAny(cast("list[str]", list(values))))
        case StartsWith(key, prefix):
            return edge.FieldCondition(key, match=edge.MatchPrefix(prefix))
        case Phrase(key, tokens):
            if len(tokens) == 1:
                return edge.FieldCondition(key, match=edge.MatchText(tokens[0]))
            return edge.FieldCondition(key, match=edge.MatchPhrase(" ".join(tokens)))
        case AnyWord(key, tokens):
            return edge.FieldCondition(key, match=edge.MatchTextAny(" ".join(tokens)))
        case Period(key, start, end):
            return edge.FieldCondition(key, range=edge.RangeDateTime(gte=start, lt=end))
        case Numbers(key, first, last):
            return edge.FieldCondition(key, range=edge.RangeFloat(gte=first, lte=last))
        case Lacks(key):
            return edge.IsEmptyCondition(key)
        case Points(ids):
            return edge.HasIdCondition(set(ids))
        case HasVector(name):
            return edge.HasVectorCondition(name)
        case Where():
            return filter_of(condition)
