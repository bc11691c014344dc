"""What doctor sees and repairs."""

import pytest

from ascertain.core.asking.passages import Filter
from ascertain.core.documents.profiling import DocumentProfile, DocumentType
from ascertain.testing.store_documents import a_document, found_by_meaning

DAMAGE = {
    "a btree": ("DROP INDEX documents_by_source", "documents_by_source is missing"),
    "a gin": ("DROP INDEX documents_by_tag", "documents_by_tag is missing"),
    "a partial one": ("DROP INDEX documents_by_original", "documents_by_original is missing"),
    "one half built": (
        "UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'chunks_of_document'::regclass",
        "chunks_of_document is not in use",
    ),
    "the graph": ("DROP INDEX vectors_1_graph", "the vector index is missing"),
    "a graph half built": (
        "UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'vectors_1_graph'::regclass",
        "the vector index is invalid",
    ),
    "a trigger": ("DROP TRIGGER tally_delete ON documents", "trigger tally_delete of documents is missing"),
    "a trigger off": (
        "ALTER TABLE documents DISABLE TRIGGER tally_insert",
        "trigger tally_insert of documents is switched off",
    ),
    "totals": ("DELETE FROM tallies WHERE what = 'type'", "running totals"),
    "vectors of nothing": (
        "INSERT INTO vectors_1 SELECT 999, 1, vector FROM vectors_1 LIMIT 1",
        "1 vectors belong to no chunk",
    ),
}


@pytest.fixture
def store(reopen):
    store = reopen(exact_limit=0)
    profile = DocumentProfile(0.3, DocumentType.FAQ, 0.9, ("law",))
    store.upsert([a_document(f"/{number}.md", document_profile=profile) for number in range(5)])
    return store


@pytest.mark.parametrize("name", DAMAGE)
def test_damage_is_named_and_repaired(store, database, name):
    damage, problem = DAMAGE[name]
    database.execute(damage)
    [seen] = store.check().problems
    assert problem in seen
    report = store.check(repair=True)
    assert report.problems == ()
    assert problem in report.facts["repaired"]
    assert store.check().problems == ()
    assert len(found_by_meaning(store, Filter())) == store.count() == 10
    assert store.corpus_profile().documents == 5


def test_what_only_the_documents_can_bring_back_stays_a_problem(store, database):
    database.execute('DELETE FROM vectors_1 WHERE "row" = (SELECT min("row") FROM vectors_1)')
    for repair in (False, True):
        [problem] = store.check(repair).problems
        assert problem == "1 chunks have no vector: add their documents again"
    store.upsert([a_document("/0.md")])
    assert store.check().problems == ()


def test_a_graph_built_with_other_settings_is_built_anew(store, reopen):
    changed = reopen(exact_limit=0, hnsw={"m": 24, "ef_construction": 200})
    [problem] = changed.check().problems
    assert "m=16" in problem
    assert "m=24" in problem
    assert changed.check(repair=True).problems == ()
    assert changed.check().facts["vector index"] == "graph (ef_construction=200, m=24)"


def test_the_facts_name_versions_sizes_and_an_unfinished_move(store):
    with pytest.raises(KeyboardInterrupt), store.reembed("model-b", 16):
        raise KeyboardInterrupt
    facts = store.check().facts
    assert facts["record"] == "5 documents, 10 chunks"
    assert "PostgreSQL 1" in facts["schema"]
    assert "pgvector 0." in facts["schema"]
    assert facts["embedding model"] == "model-a, 8 dimensions"
    assert "model-b" in facts["unfinished reindex"]
    assert facts["size"].endswith("MB")
