"""The same documents and questions in every store: the same passages come back."""

from importlib.resources import files

import numpy as np
import pytest

from ascertain.core.asking.passages import Filter
from ascertain.core.documents.documents import DocumentKind
from ascertain.core.settings import StoreSettings
from ascertain.stores.registry import open_store
from ascertain.testing.store_documents import a_document, vector_of

QUERIES = (
    {"backup": 1.0},
    {"wallet": 1.0, "keys": 1.0, "exchange": 0.5},
    {"the": 1.0, "of": 1.0},
    {'"proof of work"': 1.0, "blocks": 0.7},
    {"co-operation": 1.0, "long-term": 1.0, "2024": 1.0},
    {"naïve": 1.0, "restoring": 1.0, "tokens": 2.0},
    {"unfindable": 1.0},
)
FILTERS = (Filter(), Filter(kinds=(DocumentKind.ARTICLE,)), Filter(sources=("/demo/a",), tags=("even",)))


def paragraphs():
    """The paragraphs of the built-in corpus, by file."""
    for path in sorted((files("ascertain") / "data" / "demo_corpus").rglob("*")):
        if path.is_file() and path.suffix in {".md", ".txt", ".html", ".vtt"}:
            found = [part.strip() for part in path.read_text("utf-8").split("\n\n")]
            yield path.name, tuple(part for part in dict.fromkeys(found) if part)


def corpus():
    return [
        a_document(
            f"/demo/{'ab'[number % 2]}/{name}",
            parts,
            kind=list(DocumentKind)[number % 4],
            tags=("even",) if number % 2 == 0 else ("odd",),
        )
        for number, (name, parts) in enumerate(paragraphs())
    ]


@pytest.fixture(scope="module")
def reference(tmp_path_factory):
    store = open_store(StoreSettings(), tmp_path_factory.mktemp("reference"), "model-a", 8)
    store.upsert(corpus())
    yield store
    store.close()


@pytest.fixture
def filled(store):
    store.upsert(corpus())
    return store


@pytest.mark.parametrize("filter", FILTERS, ids=["all", "kind", "source and tag"])
def test_meaning_gives_the_same_hits_and_scores(filled, reference, filter):
    for number in range(20):
        query = vector_of(f"question {number}")
        for k in (1, 10, 1000):
            found, expected = filled.dense(query, k, filter), reference.dense(query, k, filter)
            assert [hit.chunk_id for hit in found] == [hit.chunk_id for hit in expected]
            assert [hit.score for hit in found] == pytest.approx([hit.score for hit in expected], abs=2e-6)


@pytest.mark.parametrize("filter", FILTERS, ids=["all", "kind", "source and tag"])
@pytest.mark.parametrize("query", QUERIES, ids=" ".join)
def test_words_find_the_same_chunks_with_alike_scores(filled, reference, query, filter):
    found = {hit.chunk_id: hit.score for hit in filled.lexical(query, 1000, filter)}
    expected = {hit.chunk_id: hit.score for hit in reference.lexical(query, 1000, filter)}
    assert found.keys() == expected.keys()
    # Stores round lengths differently or know the average length only roughly.
    for chunk_id, score in expected.items():
        assert found[chunk_id] == pytest.approx(score, rel=0.25)
    if len(found) > 2:
        order = [list(scores.values()) for scores in (found, {name: expected[name] for name in found})]
        assert np.corrcoef(order)[0, 1] > 0.97


def test_words_are_counted_alike(filled, reference):
    words = [word for query in QUERIES for word in query]
    assert filled.document_frequencies(words) == reference.document_frequencies(words)


def test_what_is_stored_reads_alike(filled, reference):
    assert [chunk.id for chunk in filled.iterate_chunks()] == [chunk.id for chunk in reference.iterate_chunks()]
    assert filled.known() == reference.known()
    ours, theirs = filled.stats(), reference.stats()
    for field in ("documents", "chunks", "by_kind", "by_profile", "by_state", "earliest", "latest", "corpus"):
        assert getattr(ours, field) == getattr(theirs, field), field
