"""Whoever lacks several extras is shown one command that installs them all."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

from ascertain.core.errors import MissingExtra
from ascertain.core.system.extras import install_command
from ascertain.interfaces.cli.application import app

SETTINGS = """
[models]
embedder = "fastembed:BAAI/bge-small-en-v1.5"
reranker = "sentence-transformers:cross-encoder/ms-marco-MiniLM-L6-v2"
[graph]
store = "neo4j"
"""


@pytest.fixture
def run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "ascertain.toml").write_text(SETTINGS)
    (tmp_path / "note.md").write_text("# Refunds\n\nRefunds take 72 hours.\n")
    return lambda *arguments: CliRunner().invoke(app, arguments)


def test_the_error_of_a_command_names_all(run):
    error = run("add", "note.md").exception
    assert isinstance(error, MissingExtra)
    assert "needs the extra fastembed, and the settings need torch" in str(error)
    assert str(error).endswith(install_command("fastembed", "torch"))


def test_doctor_names_all(run):
    problems = json.loads(run("doctor", "--json").stdout)["problems"]
    assert problems[-1].endswith(f"fastembed, torch; {install_command('fastembed', 'torch')}")
