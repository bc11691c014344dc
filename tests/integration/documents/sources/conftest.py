"""A knowledge base and the servers it reads from."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[3] / "servers"))
sys.path.insert(0, str(Path(__file__).parents[3] / "unit" / "app"))

from arxiv_api import ArxivServer
from small_knowledge import opened
from web_site import WebSite

from ascertain.core.settings import WebSettings


@pytest.fixture
def site():
    served = WebSite()
    yield served
    served.close()


@pytest.fixture
def arxiv():
    served = ArxivServer()
    yield served
    served.close()


@pytest.fixture
def knowledge(tmp_path, site, arxiv):
    web = WebSettings(allowed_hosts=(site.host, arxiv.host), arxiv_url=arxiv.url, retries=0, timeout_seconds=10)
    with opened(tmp_path / "kb", web=web) as base:
        yield base
