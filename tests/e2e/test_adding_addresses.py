"""``ascertain add`` with addresses, as typed in a shell."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "servers"))

from arxiv_api import ArxivServer
from feeds_written import rss
from web_site import WebSite, article, with_etag

WORDS = (
    "The harbour bridge is closed to all traffic until the end of May, the city said on Wednesday.",
    "A ferry takes passengers across every half hour, and bicycles go free for as long as the repairs last.",
)


@pytest.fixture
def site():
    served = WebSite()
    served.pages["/bridge"] = with_etag(article("Bridge closed", *WORDS), '"1"')
    yield served
    served.close()


@pytest.fixture
def arxiv():
    served = ArxivServer()
    yield served
    served.close()


def test_pages_feeds_and_papers_are_added_and_asked(inline, tmp_path, site, arxiv):
    feed = tmp_path / "feed.xml"
    feed.write_bytes(
        rss({"title": "Geese", "guid": "1", "content": "<p>Forty thousand geese rested on the island.</p>"})
    )
    settings = {
        "ASCERTAIN_WEB__ALLOWED_HOSTS": f'["{site.host}", "{arxiv.host}"]',
        "ASCERTAIN_WEB__ARXIV_URL": arxiv.url,
    }
    named = (f"{site.url}/bridge", "feed.xml", "arxiv:1706.03762", f"{site.url}/gone?key=secret")
    added = inline("add", *named, "--home", "kb", "--json", **settings)
    assert added.code == 0, added.err
    assert added.json["added"] == 3
    (failure,) = added.json["failures"]
    assert "404" in failure["reason"]
    assert "secret" not in failure["reason"]

    again = inline("add", *named[:3], "--home", "kb", **settings)
    assert "3 unchanged" in again.out

    asked = inline("ask", "How often does the ferry take passengers?", "--home", "kb", "--json")
    assert "every half hour" in asked.json["answer"]
    assert asked.json["citations"][0]["url"] == f"{site.url}/bridge"


def test_an_address_inside_is_refused_and_said_how_to_allow_it(inline, tmp_path, site):
    refused = inline("add", f"{site.url}/bridge", "--home", "kb")
    assert refused.code == 1
    assert "loopback address" in refused.out
    assert "web.allowed_hosts" in refused.out.replace("\n", " ")
    assert not site.asked


def test_an_address_of_another_kind_is_bad_usage(inline, tmp_path):
    wrong = inline("add", "ftp://example.org/x", "--home", "kb")
    assert wrong.code == 2
    assert "ftp addresses are not read; give http, https or arxiv: ones, or a path" in " ".join(wrong.err.split())
