"""Homes that are missing, newer, read-only or not homes at all."""

import logging
import shutil
import sqlite3
import subprocess
from functools import partial

import pytest

from ascertain.core.asking.passages import Filter
from ascertain.core.errors import ConfigurationError, SchemaMismatch, StoreError
from ascertain.core.settings import StoreSettings
from ascertain.stores.registry import (
    create_schema,
    embedding_of,
    open_conversations,
    open_ingest_log,
    open_service,
    open_store,
    read_schema,
)
from ascertain.testing.store_documents import a_document, chunk_ids, found_by_meaning, found_by_words


def test_a_home_that_does_not_exist_is_named_with_the_remedy(reopen, home):
    with pytest.raises(StoreError, match=f"no knowledge base in {home}.*ascertain add"):
        reopen(create=False)
    assert not home.exists()


def test_a_file_is_not_a_home(reopen, home):
    home.write_text("hello")
    with pytest.raises(StoreError, match="is a file, not a folder"):
        reopen()


def test_a_home_inside_a_file_cannot_be_made(tmp_path):
    (tmp_path / "file").write_text("hello")
    with pytest.raises(StoreError, match="cannot create"):
        open_store(StoreSettings(), tmp_path / "file" / "home", "model-a", 8)


@pytest.mark.parametrize("version", [0, 999])
def test_a_home_of_another_version_is_refused_and_left_alone(version, reopen, home):
    reopen().close()
    with sqlite3.connect(home / "record.sqlite3") as db:
        db.execute(f"PRAGMA user_version = {version}")
    db.close()
    before = (home / "record.sqlite3").read_bytes()
    opening = (embedding_of, read_schema, create_schema, open_service, open_conversations, open_ingest_log)
    for attempt in (reopen, *(partial(each, StoreSettings(), home) for each in opening)):
        with pytest.raises(SchemaMismatch, match=rf"{home}.*schema {version}.*build it anew"):
            attempt()
    assert (home / "record.sqlite3").read_bytes() == before


def test_an_unknown_kind_of_store_is_named_with_those_that_exist(home):
    with pytest.raises(ConfigurationError, match=r"'mongo'.*embedded"):
        open_store(StoreSettings(kind="mongo"), home, "model-a", 8)


def test_tells_which_model_a_home_was_built_with(reopen, home):
    assert embedding_of(StoreSettings(), home) is None
    reopen().close()
    assert embedding_of(StoreSettings(), home) == ("model-a", 8)


def test_a_home_whose_creation_was_interrupted_is_finished(reopen, home):
    home.mkdir()
    (home / "record.sqlite3").touch()
    store = reopen()
    store.upsert([a_document()])
    assert store.stats().documents == 1


@pytest.fixture
def read_only(home, reopen):
    """The home on a read-only mount, with one document; None where mounting is not allowed."""
    store = reopen()
    store.upsert([a_document()])
    store.close()
    mount = ["mount", "--bind", str(home), str(home)]
    if subprocess.run(mount, capture_output=True, check=False).returncode:
        yield None
        return
    subprocess.run(["mount", "-o", "remount,ro,bind", str(home)], check=True)
    try:
        yield home
    finally:
        subprocess.run(["umount", "-l", str(home)], check=True)


@pytest.mark.parametrize("without_index", [False, True])
def test_a_read_only_home_can_be_searched(reopen, home, without_index, read_only, caplog):
    caplog.set_level(logging.INFO)
    if read_only is None:
        return
    if without_index:
        subprocess.run(["mount", "-o", "remount,rw,bind", str(home)], check=True)
        shutil.rmtree(home / "lexical")
        subprocess.run(["mount", "-o", "remount,ro,bind", str(home)], check=True)
    store = reopen()
    assert found_by_words(store, "part", Filter()) == found_by_meaning(store, Filter()) == set(chunk_ids(a_document()))
    assert store.stats().documents == 1
    assert ("building the word index in memory" in caplog.text) is without_index
    assert store.check().problems == () or without_index
    for change in (lambda: store.upsert([a_document()]), lambda: store.delete(Filter())):
        with pytest.raises(StoreError, match="read-only"):
            change()
    store.close()


def test_a_new_home_is_opened_without_a_word(reopen, caplog):
    with caplog.at_level(logging.WARNING):
        store = reopen()
        store.upsert([a_document()])
        store.lexical({"part": 1.0}, 1)
    assert caplog.text == ""
