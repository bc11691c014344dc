import sqlite3

import pytest

from ascertain.stores.embedded.migrations import MIGRATIONS, apply_missing_steps, schema_version


@pytest.fixture
def db():
    connection = sqlite3.connect(":memory:", isolation_level=None)
    yield connection
    connection.close()


def schema(db):
    return db.execute("SELECT type, name, sql FROM sqlite_master ORDER BY name").fetchall()


def test_all_steps_are_applied_and_listed(db):
    apply_missing_steps(db)
    assert schema_version(db) == len(MIGRATIONS)
    assert [version for (version,) in db.execute("SELECT version FROM schema_version")] == [
        *range(1, len(MIGRATIONS) + 1)
    ]


def test_a_second_run_changes_nothing(db):
    apply_missing_steps(db)
    before = schema(db)
    apply_missing_steps(db)
    assert schema(db) == before


@pytest.mark.parametrize("reached", range(len(MIGRATIONS)))
def test_any_earlier_version_is_brought_up(db, reached):
    db.execute("CREATE TABLE schema_version (version INTEGER PRIMARY KEY, applied_at TEXT NOT NULL)")
    for number, step in enumerate(MIGRATIONS[:reached], 1):
        step(db)
        db.execute("INSERT INTO schema_version VALUES (?, 'then')", (number,))
    apply_missing_steps(db)
    fresh = sqlite3.connect(":memory:", isolation_level=None)
    apply_missing_steps(fresh)
    assert schema(db) == schema(fresh)
    fresh.close()
