"""Servers that answer as the news services document it, and a client that may reach them."""

from __future__ import annotations

import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[4] / "servers"))

from gnews_api import GNewsServer
from news_service import Story
from news_site import NewsSite
from searxng_api import SearxngServer
from tavily_api import TavilyServer

from ascertain.core.asking.runs import FixedClock
from ascertain.core.settings import WebSettings
from ascertain.documents.sources.web.guarded_client import GuardedClient

NOW = datetime(2024, 2, 29, tzinfo=UTC)
"""Midnight of a leap day."""
STORIES = [
    Story(
        "Orbital Foundry lands its first cargo on the Moon",
        "https://ledger.example/moon",
        "Orbital Foundry landed a cargo craft near the lunar south pole on Tuesday. The craft carried 310 kilograms. "
        "Engineers in Porto cheered as the first pictures arrived. " + "The mission goes on for two weeks. " * 20,
        datetime(2024, 2, 27, 14, 30, tzinfo=UTC),
    ),
    Story(
        "Harvest of olives halves in Andalusia",
        "https://ledger.example/olives",
        "Growers in Andalusia brought in half as many olives as the year before. A drought of three years is to blame.",
        datetime(2024, 2, 20, 8, tzinfo=UTC),
    ),
    Story(
        "Moon race: Orbital Foundry delays its launch",
        "https://ledger.example/delay",
        "Orbital Foundry put off its launch to the Moon by a month after a valve froze.",
        datetime(2023, 12, 1, 9, tzinfo=UTC),
    ),
]


@pytest.fixture
def clock():
    return FixedClock(NOW)


@pytest.fixture
def tavily():
    with TavilyServer(STORIES) as server:
        yield server


@pytest.fixture
def gnews():
    with GNewsServer(STORIES) as server:
        yield server


@pytest.fixture
def searxng():
    with SearxngServer(STORIES, NOW) as server:
        yield server


@pytest.fixture
def site():
    with NewsSite() as server:
        for story in STORIES:
            server.write(story.url.rpartition("/")[2], story.title, story.text, story.published_at)
        yield server


@pytest.fixture
def client():
    """Opens the real client for some servers; it never sleeps, but notes for how long it would."""

    def open_client(*servers, **settings):
        slept = []
        allowed = tuple(server.host for server in servers)
        made = GuardedClient(WebSettings(allowed_hosts=allowed, **settings), sleep=slept.append)
        made.slept = slept
        return made

    return open_client
