"""A package from outside the tree, installed by pip and used from the shell (docs/extending.md)."""

import os
import subprocess
import sys

import pytest
from shelf_package import install_package

LETTER = """From: ada@example.org
Subject: The engine
Date: Mon, 2 Feb 2026 12:00:00 +0100
Content-Type: text/plain

The Analytical Engine weaves algebraical patterns just as the Jacquard loom weaves flowers and leaves.
"""


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    return install_package(tmp_path_factory.mktemp("shelf"))


@pytest.fixture
def with_shelf(shell, installed):
    """Runs ``ascertain`` where the package is installed, with its store, embedding model and reranker chosen."""
    places = [str(installed), os.environ.get("PYTHONPATH", "")]
    chosen = {
        "PYTHONPATH": os.pathsep.join(filter(None, places)),
        "ASCERTAIN_STORE__KIND": "shelf",
        "ASCERTAIN_MODELS__EMBEDDER": "hashing:128",
        "ASCERTAIN_MODELS__RERANKER": "overlap",
    }
    return lambda *arguments, **extra: shell(*arguments, **{**chosen, **extra})


def test_documents_go_into_the_store_and_are_found(with_shelf, tmp_path):
    (tmp_path / "letters").mkdir()
    (tmp_path / "letters" / "one.letter").write_text(LETTER)
    (tmp_path / "letters" / "two.md").write_text("# Rain\n\nIt rains on Tuesdays, and the ponds fill up.\n")
    added = with_shelf("add", "letters", "--json")
    assert added.code == 0, added.err
    assert (tmp_path / ".ascertain" / "shelf.sqlite3").is_file()
    found = with_shelf("search", "What does the loom weave?", "--json")
    assert found.code == 0, found.err
    assert "Jacquard loom" in found.out
    assert "The engine" in found.out
    stats = with_shelf("stats", "--json").json
    assert (stats["documents"], stats["embedding_model"], stats["dimension"]) == (2, "hashing-128", 128)
    health = with_shelf("doctor", "--json")
    assert health.code == 0, health.out
    assert "shelf in ascertain.stores (shelf 1.0)" in health.out


def test_a_mistyped_kind_is_told_with_the_nearest(with_shelf, tmp_path):
    (tmp_path / "note.md").write_text("A note.")
    outcome = with_shelf("add", "note.md", ASCERTAIN_STORE__KIND="shelve")
    assert outcome.code == 2
    assert "did you mean shelf?" in outcome.err
    assert "embedded" in outcome.err


def test_a_broken_plugin_is_told_by_its_package(with_shelf, installed, tmp_path):
    (tmp_path / "note.md").write_text("A note.")
    broken = tmp_path / "broken" / "shelf"
    broken.mkdir(parents=True)
    (broken / "__init__.py").touch()
    (broken / "models.py").write_text("import no_such_module")
    path = os.pathsep.join([str(broken.parent), str(installed), os.environ.get("PYTHONPATH", "")])
    outcome = with_shelf("add", "note.md", PYTHONPATH=path)
    assert outcome.code == 2
    assert "the package shelf 1.0" in outcome.err
    assert "no_such_module" in outcome.err


def test_the_suite_runs_where_the_page_says(installed):
    path = os.pathsep.join([str(installed), os.environ.get("PYTHONPATH", "")])
    suite = installed.parent / "source" / "test_store.py"
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-k", "tenants_see", str(suite)]
    finished = subprocess.run(
        command,
        cwd=suite.parent,
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert "1 passed" in finished.stdout, finished.stdout + finished.stderr
