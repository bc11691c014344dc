import sqlite3

import pytest

from ascertain.stores.embedded.schema import SCHEMA, create_tables, stored_schema


@pytest.fixture
def db():
    connection = sqlite3.connect(":memory:", isolation_level=None)
    yield connection
    connection.close()


def contents(db):
    return list(db.iterdump())


def test_an_empty_record_gets_all_tables_and_its_version(db):
    assert stored_schema(db) is None
    create_tables(db)
    assert stored_schema(db) == SCHEMA
    names = {name for (name,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    assert {"home", "documents", "chunks", "turns", "ingest_runs", "api_keys", "graph_mentions"} <= names


def test_a_second_time_changes_nothing(db):
    create_tables(db)
    before = contents(db)
    create_tables(db)
    assert contents(db) == before


def test_a_transaction_that_fails_leaves_no_table_and_no_version(db):
    db.execute("BEGIN IMMEDIATE")
    create_tables(db)
    db.execute("ROLLBACK")
    assert stored_schema(db) is None
    assert db.execute("PRAGMA user_version").fetchone() == (0,)
