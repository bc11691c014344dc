"""Schemas of earlier versions, with data in place, brought up to this one."""

import subprocess
import sys
import threading
from datetime import UTC, datetime
from itertools import count
from pathlib import Path

import numpy as np
import psycopg
import pytest
from psycopg import sql

from ascertain.core.asking.passages import Filter
from ascertain.core.asking.requests import TurnState
from ascertain.core.documents.documents import DocumentState
from ascertain.core.errors import StoreError
from ascertain.core.settings import StoreSettings
from ascertain.stores.home.companion_records import conversations_beside, ingest_log_beside
from ascertain.stores.postgres import migrations
from ascertain.stores.postgres.connections import Connections
from ascertain.stores.registry import open_conversations, open_ingest_log, open_service, open_store, upgrade_schema

sys.path.insert(0, str(Path(__file__).parent))

from graph_versions import check_graph
from postgres_versions import DIMENSION, DOCUMENTS, FAILED, KEY, MODEL, chunk_ids, fill, rows, vector

NEWEST = len(migrations.list_steps())
FILLED = 8
"""The last version that ``postgres_versions`` knows; later ones hold at least the same."""
VERSIONS = range(1, NEWEST + 1)

# Chunks that an upgrade which is killed had before it; they take it some seconds.
MANY = 4000

UPGRADE_SLOWLY = """
import sys
from pathlib import Path
from ascertain.core.settings import StoreSettings
from ascertain.stores.postgres.words import filling
from ascertain.stores.registry import upgrade_schema
filling._BATCH = 20
print("begun", flush=True)
upgrade_schema(StoreSettings.model_validate_json(sys.argv[1]), Path("."))
"""

_numbers = count(1)


@pytest.fixture
def settings(backends):
    return backends("postgres").settings(f"versions{next(_numbers)}")


@pytest.fixture
def at_version(settings):
    """Set up the schema at a version, with what that version held."""

    def set_up(version):
        connections = Connections(settings)
        migrations.apply_missing_steps(connections, version)
        with connections.write() as db:
            fill(db, version)
        connections.close()

    return set_up


@pytest.fixture
def opened(settings, tmp_path):
    """The knowledge base, its conversations and its log, closed at the end."""
    parts = []

    def open_all():
        parts.append(open_store(settings, tmp_path, MODEL, DIMENSION, create=False))
        parts.append(open_conversations(settings, tmp_path))
        parts.append(open_ingest_log(settings, tmp_path))
        return parts[-3:]

    yield open_all
    for part in parts:
        part.close()


def contents(settings):
    """Every row of every table, by table."""
    with psycopg.connect(settings.url) as db:
        names = db.execute(
            "SELECT tablename FROM pg_tables WHERE schemaname = %s ORDER BY 1", (settings.name,)
        ).fetchall()
        return {
            name: db.execute(
                sql.SQL("SELECT t::text FROM {} t ORDER BY 1").format(sql.Identifier(settings.name, name))
            ).fetchall()
            for (name,) in names
        }


def found(store, term, **conditions):
    return {hit.chunk_id for hit in store.lexical({term: 1.0}, 100, Filter(**conditions))}


def check_documents(store):
    assert {record.id: record.state for record in store.documents()} == {
        **dict.fromkeys(DOCUMENTS, DocumentState.INDEXED),
        FAILED: DocumentState.FAILED,
    }
    for name, (source, title, texts) in DOCUMENTS.items():
        document = store.document(name)
        assert (document.source, document.title, document.text) == (source, title, "\n".join(texts))
        assert [chunk.text for chunk in store.get(chunk_ids(name))] == list(texts)
    assert [chunk.is_parent for chunk in store.get(["a1b2:whole"])] == [True]
    assert store.count() == 5
    assert store.corpus_profile().documents == 2


def check_words(store):
    assert found(store, "wallet") == {"c3d4:0", "c3d4:1"}
    assert found(store, "naive") == {"a1b2:1"}
    assert found(store, "GPT-4") == {"c3d4:1"}
    assert found(store, '"recovery phrase"') == {"a1b2:0"}
    assert found(store, "都庁") == {"c3d4:2"}
    assert found(store, "heading") == {name for document in DOCUMENTS for name in chunk_ids(document)}
    assert found(store, "wallet", sources=("/notes/backup.md",)) == set()
    assert store.document_frequencies(["wallet", "heading", "nowhere"]) == {"wallet": 2, "heading": 5, "nowhere": 0}
    assert store.delete(Filter(document_ids=("c3d4",))) == 1
    assert found(store, "wallet") == set()
    assert store.document_frequencies(["wallet", "heading"]) == {"wallet": 0, "heading": 2}


def check_service(settings, home):
    service = open_service(settings, home)
    assert service.keys.find(KEY).id == "k"
    job = service.jobs.claim(datetime(2026, 3, 1, tzinfo=UTC))
    assert (job.id, job.work, job.attempts) == ("j", {"a": 1}, 1)
    with service.files.open("f") as path:
        assert path.read_bytes() == b"words"
    service.close()


@pytest.mark.parametrize("version", VERSIONS)
def test_nothing_is_lost_on_the_way_to_the_newest_version(version, at_version, settings, opened, tmp_path):
    at_version(version)
    change = upgrade_schema(settings, tmp_path)
    assert (change.before, change.after) == (version, NEWEST)
    assert [int(name[:4]) for name in change.applied] == list(range(version + 1, NEWEST + 1))
    store, conversations, log = opened()
    check_documents(store)
    if version >= 2:
        ids = [name for _, name, _, _, _ in rows()]
        expected = np.array([vector(row) for row, _, _, _, _ in rows()], np.float32)
        assert np.array_equal(store.vectors(ids), expected)
        assert store.dense(expected[2], 1)[0].chunk_id == ids[2]
        assert store.check().problems == ()
    if version >= 5:
        assert [turn.text for turn in conversations.history("c")] == ["where?", "On paper."]
        assert [turn.state for turn in conversations.turns("c")] == [TurnState.FINISHED, TurnState.INTERRUPTED]
    else:
        assert conversations.conversations() == []
    assert [run.chunks for run in log.runs()] == ([5] if version >= 6 else [])
    check_words(store)
    if version >= 7:
        check_service(settings, tmp_path)
    check_graph(settings, tmp_path, is_filled=version >= 8)


@pytest.mark.parametrize("version", VERSIONS)
def test_a_second_upgrade_changes_nothing(version, at_version, settings, tmp_path):
    at_version(version)
    upgrade_schema(settings, tmp_path)
    before = contents(settings)
    again = upgrade_schema(settings, tmp_path)
    assert (again.before, again.after, again.applied) == (NEWEST, NEWEST, ())
    assert contents(settings) == before


@pytest.mark.parametrize("version", [version for version in VERSIONS if version < NEWEST])
def test_an_earlier_version_is_opened_only_once_it_is_upgraded(version, at_version, settings, tmp_path):
    at_version(version)
    before = contents(settings)
    for create in (True, False):
        with pytest.raises(StoreError, match=r"schema \d+, this one needs \d+.*ascertain db upgrade"):
            open_store(settings, tmp_path, MODEL, DIMENSION, create=create)
    assert contents(settings) == before


def test_upgrades_at_the_same_time_do_the_work_once(at_version, settings, opened, tmp_path):
    at_version(1)
    changes = []
    threads = [threading.Thread(target=lambda: changes.append(upgrade_schema(settings, tmp_path))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    applied = sorted(name for change in changes for name in change.applied)
    assert [int(name[:4]) for name in applied] == list(range(2, NEWEST + 1))
    check_words(opened()[0])


@pytest.fixture
def crowded(at_version, settings):
    """A schema from before there were words, with many chunks more."""
    at_version(3)
    with psycopg.connect(settings.url, autocommit=True) as db:
        db.execute(sql.SQL("SET search_path = {}").format(sql.Identifier(settings.name)))
        db.execute(
            """INSERT INTO chunks ("row", id, document, position, span_start, span_end, text, heading, is_parent,
                   overlap_previous, overlap_next)
               SELECT (2 << 20) + 1000 + n, 'c3d4:' || 1000 + n, 2, 1000 + n, 0, 10, 'filler number ' || n, '', false, 0, 0
               FROM generate_series(1, %s) n""",
            (MANY,),
        )
        db.execute("UPDATE documents SET chunks = chunks + %s WHERE id = 'c3d4'", (MANY,))
        yield db


def without_words(db):
    # Before the step there is no such column.
    has_words = db.execute(
        "SELECT 1 FROM information_schema.columns WHERE table_schema = current_schema() AND table_name = 'chunks' "
        "AND column_name = 'words'"
    ).fetchone()
    if not has_words:
        return MANY + 5
    return db.execute("SELECT count(*) FROM chunks WHERE words IS NULL AND NOT is_parent").fetchone()[0]


def test_an_upgrade_that_was_killed_is_taken_up_again(crowded, settings, opened, tmp_path):
    command = [sys.executable, "-c", UPGRADE_SLOWLY, settings.model_dump_json()]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as upgrading:
        try:
            assert upgrading.stdout.readline() == "begun\n"
            while without_words(crowded) > MANY - 100:
                assert upgrading.poll() is None
        finally:
            upgrading.kill()
    assert without_words(crowded) > 0
    with pytest.raises(StoreError, match=r"interrupted.*ascertain db upgrade"):
        opened()
    upgrade_schema(settings, tmp_path)
    store, _, _ = opened()
    assert store.document_frequencies(["filler", "wallet"]) == {"filler": MANY, "wallet": 2}
    assert found(store, "number 3999") >= {"c3d4:4999"}
    check_words(store)


def test_the_steps_are_known_by_their_order():
    assert [step.number for step in migrations.list_steps()] == list(VERSIONS)
    assert NEWEST >= FILLED


def test_conversations_of_a_store_elsewhere_set_up_an_empty_place(settings, tmp_path):
    elsewhere = StoreSettings(kind="chroma", conversations_url=settings.url, name=settings.name)
    for _ in range(2):
        conversations = conversations_beside(elsewhere, tmp_path, 5, lambda: True)
        conversations.begin("c", "1", "q", datetime(2026, 3, 1, tzinfo=UTC))
        assert len(conversations.turns("c")) == 1
        conversations.close()
        log = ingest_log_beside(elsewhere, tmp_path, lambda: True)
        assert log.runs() == []
        log.close()
