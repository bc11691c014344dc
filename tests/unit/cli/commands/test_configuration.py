"""``ascertain config set``."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

from ascertain.cli.application import app


@pytest.fixture
def run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return lambda *arguments: CliRunner().invoke(app, ["config", *arguments])


def test_a_setting_is_written_and_in_force(run, tmp_path):
    told = run("set", "news.providers", "tavily,rss")
    assert told.exit_code == 0, told.output
    assert (tmp_path / "ascertain.toml").read_text() == '[news]\nproviders = ["tavily", "rss"]\n'
    shown = json.loads(run("show", "--json").stdout)
    assert shown["news.providers"] == {"value": ["tavily", "rss"], "origin": "ascertain.toml"}


def test_a_value_that_is_not_allowed_changes_nothing(run, tmp_path):
    told = run("set", "news.max_articles", "1000")
    assert told.exit_code != 0
    assert not (tmp_path / "ascertain.toml").exists()


def test_a_layer_that_wins_over_the_file_is_named(run, monkeypatch):
    monkeypatch.setenv("ASCERTAIN_NEWS__MAX_ARTICLES", "3")
    told = run("set", "news.max_articles", "9")
    assert told.exit_code == 0
    assert "ASCERTAIN_NEWS__MAX_ARTICLES has it too, and wins" in told.output


def test_values_that_contradict_the_file_are_refused(run, tmp_path):
    run("set", "ingest.chunker.size", "500")
    told = run("set", "ingest.chunker.overlap", "600")
    assert told.exit_code != 0
    assert "overlap" not in (tmp_path / "ascertain.toml").read_text()
