"""Setting up and upgrading, and whom the database belongs to."""

from contextlib import closing

import psycopg
import pytest

from ascertain.core.asking.passages import Filter
from ascertain.core.errors import StoreError
from ascertain.stores.postgres.connections import Connections
from ascertain.stores.postgres.migrations import apply_missing_steps, list_steps
from ascertain.stores.registry import embedding_of, open_store, upgrade_schema
from ascertain.testing.store_documents import a_document, chunk_ids, found_by_meaning

ALL = tuple(step.name for step in list_steps())


def test_an_empty_server_is_set_up(settings, tmp_path):
    change = upgrade_schema(settings(), tmp_path)
    assert (change.before, change.after, change.applied) == (0, len(ALL), ALL)
    again = upgrade_schema(settings(), tmp_path)
    assert (again.before, again.after, again.applied) == (len(ALL), len(ALL), ())


def test_two_that_upgrade_at_once_apply_each_step_once(settings, process, database):
    with closing(Connections(settings())) as connections:
        apply_missing_steps(connections, target=1)
    upgraders = [process("print(*upgrade_schema(settings, home).applied)") for _ in range(3)]
    applied = [upgrader.communicate()[0].split() for upgrader in upgraders]
    assert [upgrader.returncode for upgrader in upgraders] == [0, 0, 0]
    assert sorted(name for names in applied for name in names) == list(ALL[1:])
    assert [name for (name,) in database.execute("SELECT name FROM schema_version ORDER BY number")] == list(ALL)


def test_two_that_open_an_empty_server_at_once_set_it_up_once(process, reopen):
    openers = [process('open_store(settings, home, "model-a", 8).upsert([a_document(sys.argv[0])])') for _ in range(3)]
    assert [opener.wait() for opener in openers] == [0, 0, 0]
    assert reopen().stats().documents == 1


def test_setting_up_leaves_nothing_when_it_fails(settings, database, schema, tmp_path):
    database.execute(f"CREATE SCHEMA {schema}")
    database.execute("CREATE TABLE signature_bands (something integer)")
    with pytest.raises(StoreError, match="signature_bands"):
        upgrade_schema(settings(), tmp_path)
    database.execute("DROP TABLE signature_bands")
    assert upgrade_schema(settings(), tmp_path).applied == ALL


def test_an_outdated_schema_is_not_opened_but_says_what_to_do(settings, reopen, tmp_path):
    with closing(Connections(settings())) as connections:
        apply_missing_steps(connections, target=2)
    for attempt in (reopen, lambda: embedding_of(settings(), tmp_path)):
        with pytest.raises(StoreError, match="ascertain db upgrade"):
            attempt()
    upgrade_schema(settings(), tmp_path)
    assert reopen().check().problems == ()


def test_a_newer_schema_is_used_unless_it_says_that_it_cannot_be(settings, reopen, database, tmp_path):
    store = reopen()
    database.execute("INSERT INTO schema_version (number, name, needs) VALUES (901, 'added', 1)")
    reopen().upsert([a_document()])
    assert store.count() == 2
    assert upgrade_schema(settings(), tmp_path).applied == ()
    database.execute("INSERT INTO schema_version (number, name, needs) VALUES (902, 'changed', 902)")
    with pytest.raises(StoreError, match=r"newer Ascertain.*pip install"):
        reopen()


def test_what_is_not_there_is_not_made_unless_it_may_be(settings, reopen, database, schema, tmp_path):
    assert embedding_of(settings(), tmp_path) is None
    with pytest.raises(StoreError, match="there is no knowledge base"):
        reopen(create=False)
    assert database.execute("SELECT 1 FROM pg_namespace WHERE nspname = %s", (schema,)).fetchone() is None
    reopen().close()
    assert reopen(create=False).count() == 0
    assert embedding_of(settings(), tmp_path) == ("model-a", 8)


def test_knowledge_bases_in_one_database_see_nothing_of_each_other(server, reopen, tmp_path):
    mine = reopen()
    mine.upsert([a_document()])
    other = open_store(server.settings("another_one"), tmp_path, "model-b", 16)
    assert (other.documents(), other.count(), other.tenants()) == ([], 0, [])
    other.close()
    assert mine.count() == 2


class TestExtension:
    @pytest.fixture
    def other_database(self, server):
        """A database without the extension: how to reach it as its owner and as somebody who owns nothing."""
        with psycopg.connect(server.url, autocommit=True) as db:
            db.execute("DROP DATABASE IF EXISTS bare")
            db.execute("CREATE DATABASE bare")
            db.execute("DROP ROLE IF EXISTS guest")
            db.execute("CREATE ROLE guest LOGIN")
            own = db.info.dbname
        owner = server.url.replace(f"/{own}?", "/bare?")
        return owner, owner.replace("postgres:@", "guest@")

    def test_one_who_may_not_install_it_is_told_whom_to_ask(self, settings, other_database, tmp_path):
        _, guest = other_database
        with pytest.raises(StoreError, match=r"administrator.*CREATE EXTENSION vector"):
            open_store(settings().model_copy(update={"url": guest}), tmp_path, "model-a", 8)

    def test_it_is_found_in_a_schema_of_its_own(self, settings, schema, other_database, tmp_path):
        owner, guest = other_database
        with psycopg.connect(owner, autocommit=True) as db:
            db.execute("CREATE SCHEMA elsewhere")
            db.execute("CREATE EXTENSION vector WITH SCHEMA elsewhere")
            db.execute("GRANT USAGE ON SCHEMA elsewhere TO guest")
            db.execute(f"CREATE SCHEMA {schema} AUTHORIZATION guest")
        store = open_store(settings(exact_limit=0).model_copy(update={"url": guest}), tmp_path, "model-a", 8)
        written = a_document()
        store.upsert([written])
        assert found_by_meaning(store, Filter()) == set(chunk_ids(written))
        assert store.check().problems == ()
        store.close()

    def test_a_schema_goes_without_it(self, reopen, database, schema):
        reopen().close()
        database.execute(f"DROP SCHEMA {schema} CASCADE")
        assert database.execute("SELECT count(*) FROM pg_extension WHERE extname = 'vector'").fetchone() == (1,)
