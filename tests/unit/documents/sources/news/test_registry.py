"""Providers by name."""

from __future__ import annotations

import pytest

from ascertain.core.errors import ConfigurationError
from ascertain.core.settings import NewsSettings
from ascertain.documents.sources.news.ports import Around, open_providers

NAMES = ("tavily", "gnews", "searxng", "rss")


@pytest.fixture
def opened(client, clock):
    return lambda *names: open_providers(Around(NewsSettings(providers=names), client(), {}, clock))


def test_every_provider_opens_and_has_its_name(opened):
    assert tuple(provider.name for provider in opened(*NAMES)) == NAMES


def test_the_order_is_that_of_the_settings_and_none_is_asked_twice(opened):
    assert [provider.name for provider in opened("rss", "tavily", "rss")] == ["rss", "tavily"]


def test_an_unknown_name_is_told_with_the_nearest(opened):
    with pytest.raises(ConfigurationError, match=r"news\.providers: .*'tavly'; did you mean tavily\?"):
        opened("rss", "tavly")
