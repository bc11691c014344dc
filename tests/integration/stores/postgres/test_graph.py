"""Searches through the graph over the vectors."""

from dataclasses import replace

import numpy as np
import psycopg
import pytest

from ascertain.core.asking.passages import Filter
from ascertain.testing.store_documents import a_document

DIMENSION = 16
DOCUMENTS, PARTS = 300, 10
RARE = Filter(tags=("rare",))
FILTERS = {"none": Filter(), "half": Filter(tags=("half",)), "twentieth": Filter(tags=("twentieth",)), "rare": RARE}


def tags_of(number):
    every = {"half": 2, "twentieth": 20, "rare": 300}
    return tuple(name for name, step in every.items() if number % step == 0)


@pytest.fixture
def filled(reopen):
    """A store whose searches go through the graph, and its documents."""
    random = np.random.default_rng(7)
    documents = [
        replace(
            a_document(f"/{number}.md", tuple(f"{number} {part}" for part in range(PARTS)), tags=tags_of(number)),
            vectors=random.standard_normal((PARTS, DIMENSION)).astype(np.float32),
        )
        for number in range(DOCUMENTS)
    ]
    store = reopen(dimension=DIMENSION, exact_limit=0)
    store.upsert(documents)
    return store, documents


def nearest(documents, query, filter, k):
    """By hand: ids of the ``k`` chunks of highest cosine."""
    scored = [
        (float(vector @ query / np.linalg.norm(vector)), chunk.id)
        for document in documents
        if set(filter.tags) <= set(document.document.tags)
        for chunk, vector in zip(document.chunks, document.vectors, strict=True)
    ]
    return {name for _, name in sorted(scored, reverse=True)[:k]}


@pytest.mark.parametrize("name", FILTERS)
def test_a_filter_does_not_starve_the_search(filled, name):
    store, documents = filled
    found = wanted = 0
    for query in np.random.default_rng(8).standard_normal((20, DIMENSION)).astype(np.float32):
        expected = nearest(documents, query, FILTERS[name], 10)
        hits = store.dense(query, 10, FILTERS[name])
        assert len(hits) == 10
        assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)
        found += len({hit.chunk_id for hit in hits} & expected)
        wanted += len(expected)
    assert found / wanted >= 0.98


@pytest.fixture
def ran(monkeypatch):
    """The statements that were run, with their parameters."""
    statements = []
    execute = psycopg.Cursor.execute

    def recorded(self, query, parameters=None, **options):
        statements.append((query, parameters))
        return execute(self, query, parameters, **options)

    monkeypatch.setattr(psycopg.Cursor, "execute", recorded)
    return statements


def plan_of_search(ran, database):
    """The plan of the last search that was run, under the settings that it set."""
    ran = [(query, parameters) for query, parameters in ran if isinstance(query, bytes)]
    search, parameters = next(pair for pair in reversed(ran) if b"<#>" in pair[0])
    with database.transaction():
        for query, _ in ran:
            if query.startswith(b"SET LOCAL") and b"enable_sort = on" not in query:
                database.execute(query)
        return "\n".join(line for (line,) in database.execute(b"EXPLAIN " + search, parameters))


@pytest.mark.parametrize(("name", "uses_graph"), [("none", True), ("half", True), ("rare", False)])
def test_the_graph_is_used_unless_a_filter_leaves_little(filled, ran, database, name, uses_graph):
    store, _ = filled
    store.dense(np.ones(DIMENSION, np.float32), 10, FILTERS[name])
    assert ("vectors_1_graph" in plan_of_search(list(ran), database)) == uses_graph


def test_the_exact_search_cannot_use_the_graph(filled, ran, database, reopen):
    reopen(dimension=DIMENSION, exact_limit=100_000).dense(np.ones(DIMENSION, np.float32), 10)
    assert "vectors_1_graph" not in plan_of_search(list(ran), database)


def test_more_than_the_graph_can_give_is_searched_exactly(filled):
    store, documents = filled
    hits = store.dense(np.ones(DIMENSION, np.float32), 2500)
    assert {hit.chunk_id for hit in hits} == nearest(documents, np.ones(DIMENSION), Filter(), 2500)


def test_without_many_vectors_there_is_no_graph(reopen):
    store = reopen(exact_limit=3)
    store.upsert([a_document("/1.md")])
    assert store.check().facts["vector index"] == "exact"
    store.upsert([a_document("/2.md")])
    assert store.check().facts["vector index"].startswith("graph")


def test_a_run_of_writes_builds_it_once_at_the_end(reopen):
    store = reopen(exact_limit=0)
    with store.writing():
        store.upsert([a_document("/1.md")])
        with store.writing():
            store.upsert([a_document("/2.md")])
        assert store.check().facts["vector index"] == "exact"
    assert store.check().problems == ()
    assert store.check().facts["vector index"].startswith("graph")


def test_a_vector_of_zeros_is_found_last(reopen):
    store = reopen(exact_limit=0)
    plain = a_document("/plain.md")
    zero = replace(a_document("/zero.md", ("nothing",)), vectors=np.zeros((1, 8), np.float32))
    store.upsert([plain, zero])
    query = plain.vectors[0]
    hits = {hit.chunk_id: hit.score for hit in store.dense(query, 10)}
    assert hits[zero.chunks[0].id] == 0
    assert len(hits) == 3


def test_vectors_too_long_for_a_graph_are_searched_exactly(reopen):
    store = reopen(dimension=4500, exact_limit=0)
    written = a_document(dimension=4500)
    store.upsert([written])
    assert [hit.chunk_id for hit in store.dense(written.vectors[1], 1)] == [written.chunks[1].id]
    assert store.check().problems == ()
