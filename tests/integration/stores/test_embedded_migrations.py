"""Homes of earlier versions, with data in place, brought up to this one."""

import sqlite3
import sys
from pathlib import Path

import numpy as np
import pytest

from ascertain.core.asking.passages import OWN, Filter
from ascertain.core.asking.requests import TurnState
from ascertain.core.documents.documents import DocumentState
from ascertain.core.documents.profiling import CorpusProfile, DocumentProfile, DocumentType
from ascertain.core.settings import StoreSettings
from ascertain.stores.embedded.migrations import MIGRATIONS
from ascertain.stores.records.encoding import format_fingerprint, version_number
from ascertain.stores.registry import open_conversations, open_ingest_log, open_service, open_store, upgrade_schema

sys.path.insert(0, str(Path(__file__).parent))

from embedded_versions import DIMENSION, DOCUMENTS, FAILED, KEY, MODEL, TALK, chunk_ids, hash_of, make, rows, vector
from graph_versions import check_graph

from ascertain.testing.store_documents import a_document

NEWEST = len(MIGRATIONS)
WITH_VECTORS = range(3, NEWEST + 1)
SETTINGS = StoreSettings()


@pytest.fixture
def home(tmp_path):
    return tmp_path / "home"


@pytest.fixture
def opened(home):
    """The knowledge base, closed at the end."""
    stores = []

    def open_it(model=MODEL):
        stores.append(open_store(SETTINGS, home, model, DIMENSION))
        return stores[-1]

    yield open_it
    for store in stores:
        store.close()


def found(store, term, **conditions):
    return {hit.chunk_id for hit in store.lexical({term: 1.0}, 100, Filter(**conditions))}


@pytest.mark.parametrize("version", WITH_VECTORS)
def test_documents_and_what_finds_them_are_kept(version, home, opened):
    make(home, version)
    change = upgrade_schema(SETTINGS, home)
    assert (change.before, change.after) == (version, NEWEST)
    store = opened()
    assert {record.id: record.state for record in store.documents()} == {
        **dict.fromkeys([*DOCUMENTS, TALK], DocumentState.INDEXED),
        FAILED: DocumentState.FAILED,
    }
    for name, (source, title, texts) in DOCUMENTS.items():
        document = store.document(name)
        assert (document.source, document.title, document.text) == (source, title, "\n".join(texts))
        assert [chunk.text for chunk in store.get(chunk_ids(name))] == list(texts)
    expected = np.array([vector(row) for row, *_ in rows()], np.float32)
    assert np.array_equal(store.vectors([name for _, name, *_ in rows()]), expected)
    assert store.dense(expected[2], 1, Filter(within=(OWN,)))[0].chunk_id == "c3d4:0"
    assert found(store, "wallet", within=(OWN,)) == {"c3d4:0", "c3d4:1"}
    assert found(store, "wallet", sources=("/notes/backup.md",)) == set()
    assert store.check().problems == ()


@pytest.mark.parametrize("version", WITH_VECTORS)
def test_fingerprints_are_those_of_documents_written_now(version, home, opened):
    make(home, version)
    store = opened()
    versions = {name: version_number(name, hash_of(name)) for name in DOCUMENTS}
    assert store.fingerprint() == store.fingerprint(Filter(within=(OWN,))) == format_fingerprint(sum(versions.values()))
    assert store.delete(Filter(document_ids=("a1b2",))) == 1
    assert store.fingerprint() == format_fingerprint(versions["c3d4"])


@pytest.mark.parametrize("version", WITH_VECTORS)
def test_documents_from_before_profiles_have_none(version, home, opened):
    make(home, version)
    store = opened()
    assert store.corpus_profile() == CorpusProfile()
    profile = DocumentProfile(0.5, DocumentType.FAQ, 1.0)
    store.upsert([a_document(document_profile=profile)])
    assert [record.document_profile for record in store.documents() if record.document_profile] == [profile]


@pytest.mark.parametrize("version", range(1, NEWEST + 1))
def test_what_is_beside_the_documents_is_kept_whoever_comes_first(version, home):
    make(home, version)
    service = open_service(SETTINGS, home)
    conversations, log = open_conversations(SETTINGS, home), open_ingest_log(SETTINGS, home)
    turns = [(turn.turn_id, turn.state) for turn in conversations.turns("c")]
    assert turns == ([("1", TurnState.FINISHED), ("2", TurnState.INTERRUPTED)] if version >= 5 else [])
    assert [run.chunks for run in log.runs()] == ([5] if version >= 7 else [])
    key, job, judged = service.keys.find(KEY), service.jobs.get("j"), service.feedback.judged()
    if version >= 8:
        assert (key.id, job.work, judged[0].comment) == ("k", {"a": 1}, "good")
        assert service.jobs.claim(job.created_at).attempts == 1
    else:
        assert (key, job, judged) == (None, None, [])
    for part in (service, conversations, log):
        part.close()


@pytest.mark.parametrize("version", range(1, NEWEST + 1))
def test_the_graph_is_kept_or_begun_empty(version, home):
    make(home, version)
    check_graph(SETTINGS, home, is_filled=version >= 10)


@pytest.mark.parametrize("version", range(1, NEWEST + 1))
def test_a_second_upgrade_changes_nothing(version, home):
    make(home, version)
    upgrade_schema(SETTINGS, home)
    before = contents(home)
    again = upgrade_schema(SETTINGS, home)
    assert (again.before, again.after, again.applied) == (NEWEST, NEWEST, ())
    assert contents(home) == before


def contents(home):
    with sqlite3.connect(home / "record.sqlite3") as db:
        found = list(db.iterdump())
    db.close()
    return found
