"""The terms of ``conditions`` and ``points`` as Qdrant's REST interface takes them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

import numpy as np
from qdrant_client import models

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
from ascertain.stores.qdrant.points import Point, Vector, Weights
from ascertain.stores.qdrant.schema import IndexKind


def filter_of(where: Where) -> models.Filter:
    """Conditions that hold together."""
    return models.Filter(
        must=[_condition(each) for each in where.must] or None,
        should=[_condition(each) for each in where.should] or None,
        must_not=[_condition(each) for each in where.must_not] or None,
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
    """Parameters of a payload index; see ``edge_language.index_of`` for ``enable_hnsw``."""
    match kind:
        case IndexKind.TENANT:
            return models.KeywordIndexParams(type=models.KeywordIndexType.KEYWORD, is_tenant=True)
        case IndexKind.PREFIXES:
            return models.KeywordIndexParams(
                type=models.KeywordIndexType.KEYWORD, prefix=True, enable_hnsw=False
            )
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


def _condition(condition: Condition) -> models.Condition:
    match condition:
        case AnyOf(key, values):
            if len(values) == 1:
                return models.FieldCondition(key=key, match=models.MatchValue(value=values[0]))
            return models.FieldCondition(key=key, match=models.MatchAny(any=cast("list[str]", list(values))))
        case StartsWith(key, prefix):
            return models.FieldCondition(key=key, match=models.MatchPrefix(prefix=prefix))
        case Phrase(key, tokens):
            if len(tokens) == 1:
                return models.FieldCondition(key=key, match=models.MatchText(text=tokens[0]))
            return models.FieldCondition(key=key, match=models.MatchPhrase(phrase=" ".join(tokens)))
        case AnyWord(key, tokens):
            return models.FieldCondition(key=key, match=models.MatchTextAny(text_any=" ".join(tokens)))
        case Period(key, start, end):
            # The client's model parses these texts by itself.
            period = models.DatetimeRange.model_validate({"gte": start, "lt": end})
            return models.FieldCondition(key=key, range=period)
        case Numbers(key, first, last):
            return models.FieldCondition(key=key, range=models.Range(gte=first, lte=last))
        case Lacks(key):
            return models.IsEmptyCondition(is_empty=models.PayloadField(key=key))
        case Points(ids):
            return models.HasIdCondition(has_id=list(ids))
        case HasVector(name):
            return models.HasVectorCondition(has_vector=name)
        case Where():
            return filter_of(condition)
