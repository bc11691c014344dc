"""The adapters of docs/extending.md pass the suites, found by their entry points."""

import json
import sqlite3
import sys
from contextlib import closing
from email.message import EmailMessage
from importlib import invalidate_caches

import pytest
from shelf_package import MODULES, install_package

from ascertain.core.settings import ModelSettings, NewsSettings, StoreSettings, WebSettings
from ascertain.core.system.plugins import forget_plugins, list_foreign_plugins
from ascertain.documents.formats.reader import ReadOptions
from ascertain.documents.sources.connectors.ports import SourceGiven, open_source
from ascertain.documents.sources.news.ports import Around, NewsQuery, open_providers
from ascertain.documents.sources.web.fetching import Fetched
from ascertain.models.registry import open_embedder, open_entailment, open_reranker
from ascertain.stores.registry import open_store
from ascertain.testing import (
    ChunkStoreContract,
    EmbedderContract,
    EntailmentContract,
    FormatContract,
    NewsProviderContract,
    RerankerContract,
    SourceContract,
)

MODELS = ModelSettings(embedder="hashing:128", reranker="overlap", entailment="overlap")


@pytest.fixture(scope="module", autouse=True)
def shelf(tmp_path_factory):
    """The package, installed for the tests of this module."""
    installed = str(install_package(tmp_path_factory.mktemp("shelf")))
    sys.path.insert(0, installed)
    invalidate_caches()
    forget_plugins()
    yield
    sys.path.remove(installed)
    forget_plugins()
    for name in [name for name in sys.modules if name.partition(".")[0] == "shelf"]:
        del sys.modules[name]


@pytest.mark.parametrize("name", MODULES)
def test_every_example_is_short(name):
    assert len(MODULES[name].splitlines()) < 80


def test_what_other_packages_bring_is_listed():
    found = [(group, plugin.name, plugin.package) for group, plugin in list_foreign_plugins()]
    assert ("ascertain.formats", "letter", "shelf") in found
    assert len([package for _, _, package in found if package == "shelf"]) == 7


class TestStore(ChunkStoreContract):
    @pytest.fixture
    def open_store(self):
        return lambda home, *model: open_store(StoreSettings(kind="shelf"), home, *model)


class TestEmbedder(EmbedderContract):
    @pytest.fixture
    def embedder(self):
        return open_embedder(MODELS)


class TestReranker(RerankerContract):
    @pytest.fixture
    def reranker(self):
        return open_reranker(MODELS)


class TestEntailment(EntailmentContract):
    @pytest.fixture
    def entailment(self):
        return open_entailment(MODELS, open_embedder(MODELS))


class TestFormat(FormatContract):
    @pytest.fixture
    def file(self, tmp_path):
        message = EmailMessage()
        message["From"], message["Subject"] = "ada@example.org", "The engine"
        message["Date"] = "Mon, 2 Feb 2026 12:00:00 +0100"
        message.set_content("The engine weaves patterns of numbers.\n\nIt has no pretensions to originate anything.")
        (tmp_path / "engine.letter").write_bytes(message.as_bytes())
        return tmp_path / "engine.letter"


class TestNewsProvider(NewsProviderContract):
    @pytest.fixture
    def provider(self):
        class Fetcher:
            def get(self, url, **_):
                stories = [{"url": f"https://example.org/{n}", "title": f"Story {n}"} for n in range(5)]
                return Fetched(url, 200, json.dumps({"articles": stories}).encode(), "application/json")

        settings = NewsSettings(providers=("archive",))
        [provider] = open_providers(Around(settings, Fetcher(), {"ARCHIVE_URL": "https://example.org/find"}, None))
        return provider

    @pytest.fixture
    def query(self):
        return NewsQuery("engines", 3)


class TestSource(SourceContract):
    @pytest.fixture
    def source(self, tmp_path):
        with closing(sqlite3.connect(tmp_path / "notes.sqlite3")) as db, db:
            db.execute("CREATE TABLE notes (id INTEGER PRIMARY KEY, title, text, author, changed, readers)")
            rows = [(f"Note {n}", f"Engine {n} weaves patterns.", "Ada", 1_700_000_000 + n, "board") for n in range(3)]
            db.executemany("INSERT INTO notes (title, text, author, changed, readers) VALUES (?, ?, ?, ?, ?)", rows)
        given = SourceGiven("notes", str(tmp_path / "notes.sqlite3"), {}, WebSettings(), ReadOptions(), None)
        return open_source("notes", given)
