"""Connections that are lent, used up, too slow and lost."""

import threading

import psycopg
import pytest

from ascertain.core.asking.passages import Filter
from ascertain.core.errors import StoreError
from ascertain.stores.postgres import faults
from ascertain.stores.postgres.connections import Connections
from ascertain.testing.store_documents import a_document, chunk_ids, found_by_meaning


@pytest.fixture
def connections(settings):
    """Connections under other settings."""
    made = []

    def make(**fields):
        made.append(Connections(settings(**fields)))
        return made[-1]

    yield make
    for each in made:
        each.close()


def test_a_statement_that_takes_too_long_is_given_up_with_the_setting_to_raise(connections):
    slow = connections(timeout_seconds=0.2)
    with (
        pytest.raises(StoreError, match=r"store\.timeout_seconds"),
        faults.translate_errors(slow.place),
        slow.read() as db,
    ):
        db.execute("SELECT pg_sleep(30)")
    with slow.read() as db:
        assert db.execute("SELECT 1").fetchone() == (1,)


def test_no_more_are_lent_than_allowed(connections):
    few = connections(connections=2, timeout_seconds=0.2)
    with few.read(), few.read(), pytest.raises(StoreError, match=r"all 2 connections.*store\.connections"), few.read():
        pass
    with few.read() as db:
        assert db.execute("SELECT 1").fetchone() == (1,)


def test_one_is_used_again_and_another_waits_for_it(connections):
    one = connections(connections=1)
    sessions = []

    def look():
        with one.read() as db:
            sessions.append(db.execute("SELECT pg_backend_pid()").fetchone())

    readers = [threading.Thread(target=look) for _ in range(4)]
    for reader in readers:
        reader.start()
    for reader in readers:
        reader.join()
    assert len(sessions) == 4
    assert len(set(sessions)) == 1


def lose_all(database):
    """End the sessions of everyone else."""
    database.execute(
        "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity "
        "WHERE application_name = 'ascertain' AND datname = current_database() AND pid <> pg_backend_pid()"
    )


def test_connections_that_were_lost_while_idle_are_replaced_without_a_word(reopen, database):
    store = reopen()
    written = a_document()
    store.upsert([written])
    chunks = store.iterate_chunks()
    next(chunks)
    chunks.close()
    lose_all(database)
    assert found_by_meaning(store, Filter()) == set(chunk_ids(written))
    lose_all(database)
    store.upsert([a_document("/2.md")])
    assert store.count() == 4


def test_one_that_is_lost_in_use_is_an_error_and_the_next_call_works(reopen, database):
    store = reopen()
    store.upsert([a_document(f"/{number}.md", ("text",)) for number in range(2_500)])
    chunks = store.iterate_chunks()
    next(chunks)
    lose_all(database)
    with pytest.raises(StoreError, match=r"no connection to postgresql:.*check that the server runs"):
        list(chunks)
    assert sum(1 for _ in store.iterate_chunks()) == 2_500


def test_a_transaction_that_lost_to_others_is_run_again(connections):
    attempts = []

    def work(db):
        attempts.append(db)
        if len(attempts) < 3:
            raise psycopg.errors.DeadlockDetected
        return db.execute("SELECT 7").fetchone()

    assert connections().change(work) == (7,)
    assert len(attempts) == 3


def test_what_is_read_belongs_to_one_moment_and_cannot_change_anything(reopen, connections):
    store = reopen()
    with connections().read() as db:
        before = db.execute("SELECT count(*) FROM documents").fetchone()
        store.upsert([a_document()])
        assert db.execute("SELECT count(*) FROM documents").fetchone() == before
        with pytest.raises(psycopg.errors.ReadOnlySqlTransaction):
            db.execute("DELETE FROM documents")


def test_closing_ends_every_session(settings, reopen, database):
    store = reopen()
    store.upsert([a_document()])
    sessions = (
        "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'ascertain' AND datname = current_database()"
    )
    chunks = store.iterate_chunks()
    next(chunks)
    store.close()
    chunks.close()
    for _ in range(100):
        [(left,)] = database.execute(sessions).fetchall()
        if not left:
            break
        database.execute("SELECT pg_sleep(0.05)")
    assert left == 0
