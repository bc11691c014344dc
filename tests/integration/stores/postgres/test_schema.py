"""Setting up, other versions, and whom the database belongs to."""

from datetime import UTC, datetime
from functools import partial
from importlib.resources import files

import psycopg
import pytest

from ascertain.core.asking.passages import Filter
from ascertain.core.errors import SchemaMismatch, StoreError
from ascertain.core.service.status import SchemaChange
from ascertain.core.settings import StoreSettings
from ascertain.stores.home.companion_records import conversations_beside, ingest_log_beside
from ascertain.stores.postgres.schema import SCHEMA
from ascertain.stores.registry import (
    create_schema,
    embedding_of,
    open_conversations,
    open_service,
    open_store,
    read_schema,
)
from ascertain.testing.store_documents import a_document, chunk_ids, found_by_meaning


def tables(database, schema):
    found = database.execute("SELECT tablename FROM pg_tables WHERE schemaname = %s", (schema,))
    return sorted(name for (name,) in found)


def test_an_empty_server_is_set_up_once(settings, tmp_path):
    assert read_schema(settings(), tmp_path) == SchemaChange(0, SCHEMA)
    assert create_schema(settings(), tmp_path) == SchemaChange(0, SCHEMA)
    assert create_schema(settings(), tmp_path) == read_schema(settings(), tmp_path) == SchemaChange(SCHEMA, SCHEMA)


def test_of_several_that_set_it_up_at_once_one_does(process):
    creators = [process("print(create_schema(settings, home).before)") for _ in range(3)]
    found = [creator.communicate()[0].split() for creator in creators]
    assert [creator.returncode for creator in creators] == [0, 0, 0]
    assert sorted(found) == [["0"], [str(SCHEMA)], [str(SCHEMA)]]


def test_two_that_open_an_empty_server_at_once_set_it_up_once(process, reopen):
    openers = [process('open_store(settings, home, "model-a", 8).upsert([a_document(sys.argv[0])])') for _ in range(3)]
    assert [opener.wait() for opener in openers] == [0, 0, 0]
    assert reopen().stats().documents == 1


def test_setting_up_leaves_nothing_when_it_fails(settings, database, schema, tmp_path):
    database.execute(f"CREATE SCHEMA {schema}")
    database.execute("CREATE TABLE signature_bands (something integer)")
    with pytest.raises(StoreError, match="signature_bands"):
        create_schema(settings(), tmp_path)
    assert tables(database, schema) == ["signature_bands"]
    database.execute("DROP TABLE signature_bands")
    assert create_schema(settings(), tmp_path).before == 0


@pytest.mark.parametrize("number", [SCHEMA + 1, 14])
def test_a_schema_of_another_version_is_refused_and_says_what_to_do(number, settings, reopen, database, tmp_path):
    reopen().close()
    database.execute("UPDATE schema_version SET number = %s", (number,))
    opening = (create_schema, read_schema, embedding_of, open_service, open_conversations)
    for attempt in (reopen, *(partial(each, settings(), tmp_path) for each in opening)):
        with pytest.raises(
            SchemaMismatch, match=rf"schema {number}, this one has {SCHEMA}.*build it anew.*store\.name"
        ):
            attempt()


def test_the_tables_name_no_schema_since_every_knowledge_base_has_its_own():
    assert "public." not in files("ascertain.stores.postgres").joinpath("schema.sql").read_text()


def test_conversations_of_a_store_elsewhere_set_up_an_empty_place(settings, tmp_path):
    elsewhere = StoreSettings(kind="chroma", conversations_url=settings().url, name=settings().name)
    for _ in range(2):
        conversations = conversations_beside(elsewhere, tmp_path, 5, lambda: True)
        conversations.begin("c", "1", "q", datetime(2026, 3, 1, tzinfo=UTC))
        assert len(conversations.turns("c")) == 1
        conversations.close()
        log = ingest_log_beside(elsewhere, tmp_path, lambda: True)
        assert log.runs() == []
        log.close()


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
