"""Homes that are missing, newer, read-only or not homes at all."""

import logging
import shutil
import sqlite3
import subprocess

import pytest
from store_documents import a_document, chunk_ids, found_by_meaning, found_by_words

from ascertain.core.errors import ConfigurationError, StoreError
from ascertain.core.filters import Filter
from ascertain.core.profiling import CorpusProfile, DocumentProfile, DocumentType
from ascertain.core.settings_store import StoreSettings
from ascertain.stores.registry import embedding_of, open_conversations, open_store


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


def test_a_home_of_a_newer_version_is_refused_and_left_alone(reopen, home):
    reopen().close()
    with sqlite3.connect(home / "record.sqlite3") as db:
        db.execute("INSERT INTO schema_version VALUES (999, 'later')")
    db.close()
    with pytest.raises(StoreError, match=r"newer Ascertain.*schema 999.*upgrade"):
        reopen()


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
def from_before_profiles(reopen, home):
    """A home with one document, as it was before the latest steps of the schema."""
    written = a_document()
    store = reopen()
    store.upsert([written])
    store.close()
    with sqlite3.connect(home / "record.sqlite3") as db:
        db.execute("DROP INDEX documents_by_type")
        for column in ("type", "type_confidence", "technical_density", "domains"):
            db.execute(f"ALTER TABLE documents DROP COLUMN {column}")
        db.execute("DROP TABLE turns")
        db.execute("DROP TABLE ingest_runs")
        db.execute("DELETE FROM schema_version WHERE version > 4")
    db.close()
    return written


def test_a_home_from_before_profiles_keeps_its_documents(reopen, from_before_profiles):
    store = reopen()
    assert store.document(from_before_profiles.document.id) == from_before_profiles.document
    assert store.get(chunk_ids(from_before_profiles)) == list(from_before_profiles.chunks)
    assert found_by_words(store, "part", Filter()) == set(chunk_ids(from_before_profiles))
    assert store.documents()[0].document_profile is None
    assert store.corpus_profile() == CorpusProfile()
    profile = DocumentProfile(0.5, DocumentType.FAQ, 1.0)
    store.upsert([a_document(document_profile=profile)])
    assert store.documents()[0].document_profile == profile


def test_conversations_bring_an_older_home_up_to_date(home, reopen, from_before_profiles):
    conversations = open_conversations(StoreSettings(), home)
    assert conversations.conversations() == []
    conversations.close()
    assert reopen().document(from_before_profiles.document.id) == from_before_profiles.document


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
    assert (
        found_by_words(store, "part", Filter())
        == found_by_meaning(store, Filter())
        == set(chunk_ids(a_document()))
    )
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
