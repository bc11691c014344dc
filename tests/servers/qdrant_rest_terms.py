"""The models of qdrant-client as the engine takes them, and its points as JSON."""

import qdrant_edge as edge
from qdrant_client.http import models

_DISTANCES = {models.Distance.DOT: edge.Distance.Dot, models.Distance.COSINE: edge.Distance.Cosine}


def dense_params(vectors):
    return {
        name: edge.EdgeVectorParams(size=each.size, distance=_DISTANCES[each.distance])
        for name, each in vectors.items()
    }


def sparse_params(vectors):
    return {
        name: edge.EdgeSparseVectorParams(modifier=edge.Modifier.Idf if each.modifier is models.Modifier.IDF else None)
        for name, each in vectors.items()
    }


def index_of(schema):
    common = {"enable_hnsw": schema.enable_hnsw}
    match schema:
        case models.KeywordIndexParams():
            return edge.KeywordIndexParams(is_tenant=schema.is_tenant, prefix=schema.prefix, **common)
        case models.UuidIndexParams():
            return edge.UuidIndexParams(**common)
        case models.IntegerIndexParams():
            return edge.IntegerIndexParams(lookup=schema.lookup, range=schema.range, **common)
        case models.DatetimeIndexParams():
            return edge.DatetimeIndexParams(**common)
        case models.TextIndexParams():
            assert schema.tokenizer is models.TokenizerType.WHITESPACE
            return edge.TextIndexParams(
                tokenizer=edge.TokenizerType.Whitespace,
                lowercase=schema.lowercase,
                phrase_matching=schema.phrase_matching,
                **common,
            )
    raise ValueError(f"an index like {schema} is not among those of these tests")


def filter_of(filter):
    if filter is None:
        return None
    return edge.Filter(
        must=_conditions(filter.must), should=_conditions(filter.should), must_not=_conditions(filter.must_not)
    )


def point_of(point):
    return edge.Point(str(point.id), vectors_of(point.vector), point.payload or {})


def vectors_of(vectors):
    return {
        name: edge.SparseVector(each.indices, each.values) if isinstance(each, models.SparseVector) else each
        for name, each in vectors.items()
    }


def query_of(request):
    query = request.query
    if isinstance(query, models.NearestQuery):
        query = query.nearest
    vector = edge.SparseVector(query.indices, query.values) if isinstance(query, models.SparseVector) else query
    params = request.params or models.SearchParams()
    return edge.QueryRequest(
        request.limit,
        query=edge.Query.Nearest(vector, using=request.using),
        filter=filter_of(request.filter),
        with_payload=selector_of(request.with_payload),
        params=edge.SearchParams(hnsw_ef=params.hnsw_ef, exact=bool(params.exact), acorn=_acorn(params.acorn)),
    )


def selector_of(with_payload):
    """Which fields to give back; an empty list is none."""
    if with_payload is None:
        return False
    return with_payload


def output_of(point):
    vectors = point.vector
    if isinstance(vectors, dict):
        vectors = {
            name: {"indices": each.indices, "values": each.values} if isinstance(each, edge.SparseVector) else each
            for name, each in vectors.items()
        }
    return {"id": str(point.id), "payload": point.payload or {}, "vector": vectors}


def _conditions(conditions):
    if conditions is None:
        return None
    each = conditions if isinstance(conditions, list) else [conditions]
    return [_condition(condition) for condition in each]


def _condition(condition):
    match condition:
        case models.HasIdCondition():
            return edge.HasIdCondition({str(each) for each in condition.has_id})
        case models.IsEmptyCondition():
            return edge.IsEmptyCondition(condition.is_empty.key)
        case models.HasVectorCondition():
            return edge.HasVectorCondition(condition.has_vector)
        case models.Filter():
            return filter_of(condition)
        case models.FieldCondition(range=None):
            return edge.FieldCondition(condition.key, match=_match(condition.match))
        case models.FieldCondition():
            return edge.FieldCondition(condition.key, range=_range(condition.range))
    raise ValueError(f"a condition like {condition} is not among those of these tests")


def _match(match):
    match match:
        case models.MatchValue():
            return edge.MatchValue(match.value)
        case models.MatchAny():
            return edge.MatchAny(match.any)
        case models.MatchPrefix():
            return edge.MatchPrefix(match.prefix)
        case models.MatchText():
            return edge.MatchText(match.text)
        case models.MatchTextAny():
            return edge.MatchTextAny(match.text_any)
        case models.MatchPhrase():
            return edge.MatchPhrase(match.phrase)
    raise ValueError(f"a match like {match} is not among those of these tests")


def _range(range):
    if isinstance(range, models.DatetimeRange):
        ends = {"gte": range.gte, "lt": range.lt}
        return edge.RangeDateTime(**{name: end and end.isoformat() for name, end in ends.items()})
    return edge.RangeFloat(gte=range.gte, lte=range.lte)


def _acorn(given):
    return given and edge.AcornSearchParams(enable=bool(given.enable), max_selectivity=given.max_selectivity)
