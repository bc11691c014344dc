"""``ascertain config set`` and ``get``."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

from ascertain.interfaces.cli.application import app


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


def test_one_setting_is_shown_with_where_it_came_from(run, monkeypatch):
    assert run("get", "retrieval.top_k").stdout == "10\n"
    monkeypatch.setenv("ASCERTAIN_RETRIEVAL__TOP_K", "5")
    told = run("get", "retrieval.top_k")
    assert (told.stdout, told.stderr) == ("5\n", "(from environment ASCERTAIN_RETRIEVAL__TOP_K)\n")
    assert json.loads(run("get", "retrieval.top_k", "--json").stdout) == {
        "value": 5,
        "origin": "environment ASCERTAIN_RETRIEVAL__TOP_K",
    }


def test_a_section_is_listed_and_cannot_be_set(run):
    rows = [line.split("\t") for line in run("get", "cache").stdout.splitlines()]
    assert rows == [[f"cache.{name}", value, "default"] for name, value in (("answers", "True"), ("hours", "24.0"))]
    assert json.loads(run("get", "cache", "--json").stdout)["cache.answers"] == {"value": True, "origin": "default"}
    told = run("set", "cache", "1")
    assert "is a section; `ascertain config get cache` lists its settings" in str(told.exception)


def test_a_password_in_an_address_is_not_shown(run, monkeypatch):
    monkeypatch.setenv("ASCERTAIN_STORE__URL", "postgresql://me:hunter2@db.example.org/knowledge")
    assert "hunter2" not in run("get", "store.url").output


def test_a_setting_that_does_not_exist_is_answered_with_the_nearest(run):
    assert "did you mean retrieval.top_k?" in str(run("get", "retrieval.topk").exception)
