"""Addresses into a real store by way of real servers on loopback."""

import pytest
from arxiv_api import ATTENTION, ArxivServer
from feeds_written import atom, rss
from small_knowledge import opened
from web_site import Reply, article, redirect, with_etag

from ascertain.core.asking.passages import Filter
from ascertain.core.documents.documents import DocumentState
from ascertain.core.errors import UsageError

BRIDGE = (
    "The harbour bridge is closed to all traffic until the end of May, the city said on Wednesday.",
    "A ferry takes passengers across every half hour, and bicycles go free for as long as the repairs last.",
)
GEESE = (
    "Forty thousand geese rested on the island in the first week of March, more than in any year before.",
    "Farmers are paid for what the birds eat, and volunteers count them from a hide near the lighthouse.",
)


def counts(report):
    return {name: number for name in ("added", "changed", "unchanged", "deleted") if (number := getattr(report, name))}


def failures(report):
    return {failure.source: failure.reason for failure in report.failures}


def by_source(knowledge, **filter):
    return {record.source: record for record in knowledge.documents(Filter(**filter))}


@pytest.fixture
def page(site):
    site.pages["/bridge"] = with_etag(article("Bridge closed", *BRIDGE), '"1"')
    return f"{site.url}/bridge"


def test_a_page_is_added_once_and_asked_for_conditionally(knowledge, site, page):
    assert counts(knowledge.add([page + "?utm_source=x#top", page])) == {"added": 1}
    assert counts(knowledge.add([page])) == {"unchanged": 1}
    assert [asked.headers.get("if-none-match") for asked in site.asked] == [None, '"1"']
    assert "ferry" in knowledge.search("ferry for passengers").passages[0].chunk.text


def test_a_page_that_has_changed_takes_the_place_of_the_old(knowledge, site, page):
    knowledge.add([page])
    site.pages["/bridge"] = with_etag(article("Bridge open", *BRIDGE, "It is open again."), '"2"')
    assert counts(knowledge.add([page])) == {"changed": 1}
    (record,) = knowledge.documents()
    assert record.title == "Bridge open"


def test_a_page_that_was_deleted_is_added_anew(knowledge, site, page):
    knowledge.add([page])
    knowledge.delete(Filter(sources=(page,)))
    assert counts(knowledge.add([page])) == {"added": 1}


def test_pages_below_an_address_are_not_taken_for_it(knowledge, site, page):
    site.pages["/bridge/history"] = article("History", *GEESE)
    knowledge.add([page, f"{page}/history"])
    assert counts(knowledge.add([page])) == {"unchanged": 1}
    (record,) = (each for each in knowledge.documents() if each.source == page)
    knowledge.delete(Filter(document_ids=(record.id,)))
    assert counts(knowledge.add([page])) == {"added": 1}


def test_other_tags_are_not_hidden_by_an_unchanged_page(knowledge, page):
    knowledge.add([page])
    assert counts(knowledge.add([page], tags=["city"])) == {"changed": 1}
    assert counts(knowledge.add([page], tags=["city"])) == {"unchanged": 1}


def test_a_page_behind_a_redirect_is_one_document(knowledge, site, page):
    site.pages["/old"] = redirect("/bridge", 301)
    assert counts(knowledge.add([page, f"{site.url}/old"])) == {"added": 1}
    assert list(by_source(knowledge)) == [page]


def test_what_fails_is_listed_and_the_rest_added(knowledge, site, page):
    site.pages.update(
        {
            "/inside": redirect("http://169.254.169.254/latest/meta-data"),
            "/empty": b"<html><body><div></div></body></html>",
            "/picture": Reply(b"\x89PNG", media_type="image/png"),
        }
    )
    names = ("/gone?key=secret", "/inside", "/empty", "/picture")
    report = knowledge.add([*(site.url + name for name in names), "http://10.0.0.1/", page])
    assert counts(report) == {"added": 1}
    reasons = failures(report)
    assert "404" in reasons[f"{site.url}/gone?key=secret"]
    assert "link-local" in reasons[f"{site.url}/inside"]
    assert "no text found" in reasons[f"{site.url}/empty"]
    assert "image/png" in reasons[f"{site.url}/picture"]
    assert "private address" in reasons["http://10.0.0.1/"]
    assert not any("secret" in reason for reason in reasons.values())
    states = [record.state for record in knowledge.documents()]
    assert sorted(states) == ["failed"] * 5 + ["indexed"]


def test_a_failure_that_is_over_is_forgotten(knowledge, site):
    names = [f"{site.url}/bridge", f"{site.url}/feed"]
    assert len(knowledge.add(names).failures) == 2
    site.pages["/bridge"] = article("Bridge", *BRIDGE, head='<link rel=canonical href="/2026/bridge">')
    site.pages["/feed"] = Reply(rss({"title": "T", "guid": "1", "content": GEESE[0]}), media_type="text/xml")
    knowledge.add(names)
    assert {record.state for record in knowledge.documents()} == {DocumentState.INDEXED}
    assert f"{site.url}/2026/bridge" in by_source(knowledge)


def test_a_page_that_is_away_keeps_what_was_read(knowledge, site, page):
    knowledge.add([page])
    del site.pages["/bridge"]
    assert len(knowledge.add([page]).failures) == 1
    assert knowledge.search("ferry for passengers").passages
    site.pages["/bridge"] = with_etag(article("Bridge closed", *BRIDGE), '"1"')
    assert not knowledge.add([page]).failures
    assert by_source(knowledge)[page].state is DocumentState.INDEXED


def a_feed(site, *items, etag='"f1"'):
    site.pages["/feed.xml"] = with_etag(rss(*items), etag, "application/rss+xml")
    return f"{site.url}/feed.xml"


def item(number, link="", **more):
    return {
        "title": f"Item {number}",
        "guid": f"tag:{number}",
        "description": f"Teaser {number}.",
        "pubDate": f"Wed, 0{number} Mar 2023 10:00:00 GMT",
        **({"link": link} if link else {}),
        **more,
    }


def test_a_feed_is_read_with_the_pages_of_its_entries(knowledge, site, page):
    feed = a_feed(site, item(1, page), item(2, content=f"<p>{GEESE[0]}</p>"))
    assert counts(knowledge.add([feed])) == {"added": 2}
    records = by_source(knowledge)
    first, second = records[f"{feed}#tag:1"], records[f"{feed}#tag:2"]
    assert (first.title, first.url, first.kind) == ("Item 1", page, "article")
    assert first.published_at.isoformat() == "2023-03-01T10:00:00+00:00"
    assert "ferry" in knowledge.document(first.id).text
    assert "geese" in knowledge.document(second.id).text
    assert site.paths == ["/feed.xml", "/bridge"]


def test_an_unchanged_feed_is_one_request(knowledge, site, page):
    feed = a_feed(site, item(1, page), item(2, content=GEESE[0]))
    knowledge.add([feed])
    site.asked.clear()
    assert counts(knowledge.add([feed])) == {"unchanged": 2}
    assert site.paths == ["/feed.xml"]


def test_a_feed_gives_what_is_new_and_keeps_what_it_has_dropped(knowledge, site, page):
    feed = a_feed(site, item(1, page), item(2, content=GEESE[0]))
    knowledge.add([feed])
    site.pages["/geese"] = article("Geese", *GEESE)
    a_feed(site, item(3, f"{site.url}/geese"), item(1, page), etag='"f2"')
    site.asked.clear()
    assert counts(knowledge.add([feed])) == {"added": 1, "unchanged": 1}
    assert site.paths == ["/feed.xml", "/geese"]
    assert set(by_source(knowledge)) == {f"{feed}#tag:{number}" for number in (1, 2, 3)}


def test_an_entry_that_is_newer_than_what_is_there_is_read_again(knowledge, site):
    entry = {"title": "T", "id": "urn:1", "content": GEESE[0], "updated": "2023-01-01T00:00:00Z"}
    site.pages["/atom"] = with_etag(atom(entry), '"1"', "application/atom+xml")
    knowledge.add([f"{site.url}/atom"])
    changed = {**entry, "content": GEESE[1], "updated": "2999-01-01T00:00:00Z"}
    site.pages["/atom"] = with_etag(atom(changed), '"2"', "application/atom+xml")
    assert counts(knowledge.add([f"{site.url}/atom"])) == {"changed": 1}


def test_an_entry_whose_page_is_gone_is_kept_by_its_summary(knowledge, site, page):
    feed = a_feed(site, item(1, f"{site.url}/gone"), item(2, "http://10.0.0.1/"), item(3, page))
    report = knowledge.add([feed])
    assert counts(report) == {"added": 3}
    assert "2 of 3 entries are stored with the feed's summary" in report.notes[0]
    record = by_source(knowledge)[f"{feed}#tag:1"]
    assert knowledge.document(record.id).text == "Item 1\n\nTeaser 1."


def test_an_entry_whose_page_is_busy_is_read_by_the_next_run(knowledge, site, page):
    site.pages["/busy"] = Reply(b"", 503)
    feed = a_feed(site, item(1, f"{site.url}/busy"), item(2, page))
    report = knowledge.add([feed])
    assert counts(report) == {"added": 1}
    assert "503" in failures(report)[f"{feed}#tag:1"]
    site.pages["/busy"] = article("Geese", *GEESE)
    assert counts(knowledge.add([feed])) == {"added": 1, "unchanged": 1}
    assert {record.state for record in knowledge.documents()} == {DocumentState.INDEXED}


def test_a_page_with_less_than_the_feed_does_not_take_its_place(knowledge, site):
    words = " ".join(GEESE * 4) + " …"
    site.pages["/consent"] = article("Cookies", "Please accept our cookies to read on, or subscribe for a euro a week.")
    feed = a_feed(site, item(1, f"{site.url}/consent", content=words))
    knowledge.add([feed])
    (record,) = knowledge.documents()
    assert "geese" in knowledge.document(record.id).text


def test_pages_of_entries_are_left_alone_when_the_settings_say_so(tmp_path, site, page):
    feed = a_feed(site, item(1, page), item(2, page), item(3, page))
    web = {"allowed_hosts": (site.host,), "fetch_pages": False}
    with opened(tmp_path / "kb", web=web) as knowledge:
        knowledge.add([feed])
        assert {record.title for record in knowledge.documents()} == {"Item 3", "Item 2", "Item 1"}
    assert site.paths == ["/feed.xml"]


def test_a_paper_is_added_by_its_pdf_and_asked_for_once(knowledge, arxiv):
    assert counts(knowledge.add(["arxiv:1706.03762", "https://arxiv.org/abs/1706.03762"])) == {"added": 1}
    (record,) = knowledge.documents()
    assert (record.source, record.kind) == ("https://arxiv.org/abs/1706.03762", "paper")
    arxiv.asked.clear()
    assert counts(knowledge.add(["arxiv:1706.03762"])) == {"unchanged": 1}
    assert len(arxiv.asked) == 1


def test_a_new_version_of_a_paper_takes_the_place_of_the_old(knowledge, arxiv):
    knowledge.add(["arxiv:1706.03762"])
    arxiv.papers["1706.03762"] = {**ATTENTION, "version": 8}
    assert counts(knowledge.add(["arxiv:1706.03762"])) == {"changed": 1}
    (record,) = knowledge.documents()
    assert record.url == "https://arxiv.org/abs/1706.03762v8"


def test_a_paper_without_its_pdf_is_added_by_its_abstract(knowledge, arxiv):
    arxiv.pdfs["1706.03762"] = Reply(b"", 404)
    report = knowledge.add(["arxiv:1706.03762"])
    assert counts(report) == {"added": 1}
    assert report.notes[0].startswith("arxiv:1706.03762: only its abstract was added; the PDF could not be read:")
    arxiv.pdfs.clear()
    assert counts(knowledge.add(["arxiv:1706.03762"])) == {"changed": 1}
    assert knowledge.search("BLEU on English to German").passages


def test_an_unknown_paper_is_a_failure(knowledge, arxiv):
    report = knowledge.add(["arxiv:9999.99999"])
    assert failures(report) == {
        "https://arxiv.org/abs/9999.99999": "arXiv has no such paper (incorrect id format for 9999.99999)"
    }


class Listener:
    def __init__(self):
        self.totals, self.done, self.named, self.files = [], 0, set(), []

    def found(self, total_documents, total_bytes):
        self.totals.append(total_bytes)

    def report_progress(self, source, bytes_done, chunks):
        self.done += bytes_done
        self.named.add(source)

    def failed(self, source, reason):
        self.named.add(source)

    def count_files(self, done, total):
        self.files.append((done, total))


def test_paths_and_addresses_are_added_together(knowledge, site, page, tmp_path):
    note = tmp_path / "note.txt"
    note.write_text(GEESE[0])
    listener = Listener()
    report = knowledge.add([str(note), page, f"{site.url}/gone"], listener=listener)
    assert counts(report) == {"added": 2}
    assert len(report.failures) == 1
    assert len(listener.totals) == 1
    assert listener.done == listener.totals[0]
    assert listener.files == [(0, 1), (1, 1)]
    assert page in listener.named


@pytest.mark.parametrize("wrong", ["no-such-file.txt", "ftp://example.org/x", "arxiv:nonsense"])
def test_nothing_is_read_when_an_argument_is_wrong(knowledge, site, page, wrong):
    with pytest.raises(UsageError):
        knowledge.add([page, wrong])
    assert not site.asked


def test_what_is_fetched_for_a_conversation_is_its_own(knowledge, site, page):
    assert counts(knowledge.add([page], conversation_id="c1")) == {"added": 1}
    assert counts(knowledge.add([page], conversation_id="c2")) == {"added": 1}
    assert counts(knowledge.add([page])) == {"added": 1}
    assert [asked.headers.get("if-none-match") for asked in site.asked] == [None] * 3
    (own,) = knowledge.documents(Filter(conversation_id="c1"))
    assert own.source == page
    knowledge.delete(Filter(conversation_id="c1"))
    assert counts(knowledge.add([page])) == {"unchanged": 1}


def test_tenants_do_not_see_what_another_has_fetched(knowledge, site, page):
    knowledge.add([page])
    other = knowledge.as_tenant("other")
    assert counts(other.add([page])) == {"added": 1}
    assert site.asked[-1].headers.get("if-none-match") is None
    other.delete(Filter())
    assert counts(knowledge.add([page])) == {"unchanged": 1}
    assert len(knowledge.documents()) == 1


def test_runs_are_logged_without_what_addresses_may_hold_in_secret(knowledge, site, page):
    knowledge.add([f"{page}?token=secret"])
    (run,) = knowledge.ingest_runs()
    assert run.what == f"{page}?…"


def test_arxiv_of_the_settings_is_asked(tmp_path):
    server = ArxivServer()
    web = {"allowed_hosts": (server.host,), "arxiv_url": server.url + "/"}
    try:
        with opened(tmp_path / "kb", web=web) as knowledge:
            assert counts(knowledge.add(["arxiv:1706.03762v3"])) == {"added": 1}
        assert server.paths == ["/api/query?id_list=1706.03762v3&max_results=1", "/pdf/1706.03762v3"]
    finally:
        server.close()
