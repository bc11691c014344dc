"""A knowledge base whose news come from servers on loopback, on a leap day at midnight."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "servers"))

from gnews_api import GNewsServer
from news_site import NewsSite
from news_stories import DRILL, MOON, NOW, OLD, OLIVES
from tavily_api import TavilyServer

from ascertain.app.ascertain import Ascertain
from ascertain.core.asking.runs import FixedClock
from ascertain.core.settings import ModelSettings, load_settings
from ascertain.models.registry import open_embedder


@pytest.fixture
def tavily(monkeypatch):
    monkeypatch.setenv("TAVILY_API_KEY", "tvly-secret")
    with TavilyServer([MOON, DRILL, OLD]) as server:
        monkeypatch.setattr("ascertain.documents.sources.news.tavily.URL", server.url)
        yield server


@pytest.fixture
def gnews(monkeypatch):
    monkeypatch.setenv("GNEWS_API_KEY", "gnews-secret")
    with GNewsServer([MOON, DRILL, OLD]) as server:
        monkeypatch.setattr("ascertain.documents.sources.news.gnews.URL", server.url)
        yield server


@pytest.fixture
def site():
    with NewsSite() as server:
        server.write("moon", MOON.title, MOON.text, MOON.published_at)
        server.write("olives", OLIVES.title, OLIVES.text, OLIVES.published_at)
        yield server


@pytest.fixture(scope="session")
def embedder():
    return open_embedder(ModelSettings())


@pytest.fixture
def knowledge(tmp_path, embedder):
    """Opens a knowledge base that may reach some servers; settings by key, with two underscores for the dot."""
    opened = []

    def open_knowledge(*servers, **settings):
        environ = {f"ASCERTAIN_{key.upper()}": str(value) for key, value in settings.items()}
        environ["ASCERTAIN_WEB__ALLOWED_HOSTS"] = ",".join(server.host for server in servers) or "[]"
        environ["ASCERTAIN_WEB__RETRIES"] = "0"
        loaded = load_settings(home=tmp_path / "kb", environ=environ, arguments={})
        opened.append(Ascertain(loaded.settings, clock=FixedClock(NOW), embedder=embedder))
        return opened[-1]

    yield open_knowledge
    for each in opened:
        each.close()


@pytest.fixture
def with_tavily(knowledge, tavily):
    return lambda **more: knowledge(tavily, news__providers="tavily", profile="news", **more)


@pytest.fixture
def bread(tmp_path):
    """A document that has nothing to do with the news."""
    file = tmp_path / "bread.md"
    file.write_text(
        "# Bread\n\nSourdough bread needs flour, water and salt. The dough rests for twelve hours before it is baked "
        "at 240 degrees. A starter is fed every day with equal parts of flour and water.\n"
    )
    return file
