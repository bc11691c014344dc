import itertools
import multiprocessing
import threading
import time
from datetime import UTC, datetime

import pytest
from arxiv_api import ATTENTION, ArxivServer
from web_site import Reply

from ascertain.core.documents.documents import DocumentKind
from ascertain.core.errors import SourceError
from ascertain.core.settings import WebSettings
from ascertain.documents.formats.reader import ReadOptions
from ascertain.documents.sources.web.arxiv import ArxivClient, Spacing, abstract_document, build_search_query
from ascertain.documents.sources.web.guarded_client import GuardedClient
from ascertain.documents.sources.web.urls import ArxivAddress

ADDRESS = ArxivAddress("1706.03762")


@pytest.fixture
def server():
    served = ArxivServer()
    yield served
    served.close()


@pytest.fixture
def slept():
    return []


@pytest.fixture
def arxiv(server, tmp_path, slept):
    fetcher = GuardedClient(WebSettings(allowed_hosts=(server.host,), retries=0))
    return ArxivClient(fetcher, server.url, Spacing("arxiv", 0, tmp_path), slept.append)


def test_says_what_arxiv_says_of_a_paper(arxiv):
    paper = arxiv.paper(ADDRESS)
    assert paper.title == "Attention Is All You Need"
    assert paper.abstract.endswith("convolutional networks.")
    assert paper.authors == ("Ashish Vaswani", "Noam Shazeer")
    assert paper.published_at == datetime(2017, 6, 12, 17, 57, 34, tzinfo=UTC)
    assert paper.address == ArxivAddress("1706.03762", 7)
    assert paper.categories == ("cs.CL", "cs.LG")


def test_reads_the_pdf_by_the_reader_of_papers(arxiv, server):
    document = arxiv.document(arxiv.paper(ADDRESS), ReadOptions(tags=("read",), tenant="acme"), ADDRESS.url)
    assert "28.4 BLEU" in document.text
    assert (document.kind, document.title) == (DocumentKind.PAPER, "Attention Is All You Need")
    assert document.source == "https://arxiv.org/abs/1706.03762"
    assert document.url == "https://arxiv.org/abs/1706.03762v7"
    assert document.author == "Ashish Vaswani, Noam Shazeer"
    assert document.tags == ("read", "cs.CL", "cs.LG")
    assert document.tenant == "acme"
    assert {block.place.page for block in document.blocks} >= {1, 2}
    assert "Results" in " ".join(name for block in document.blocks for name in block.place.section)
    assert server.paths == ["/api/query?id_list=1706.03762&max_results=1", "/pdf/1706.03762v7"]


def test_the_version_that_was_asked_for_is_read(arxiv, server):
    paper = arxiv.paper(ArxivAddress("1706.03762", 2))
    arxiv.document(paper, ReadOptions(), "s")
    assert server.paths[-1] == "/pdf/1706.03762v2"


def test_old_identifiers_are_read(tmp_path):
    server = ArxivServer({**ATTENTION, "id": "hep-th/9901001", "version": 3})
    fetcher = GuardedClient(WebSettings(allowed_hosts=(server.host,)))
    arxiv = ArxivClient(fetcher, server.url, Spacing("arxiv", 0, tmp_path))
    try:
        assert arxiv.paper(ArxivAddress("hep-th/9901001", 2)).address.name == "hep-th/9901001v2"
    finally:
        server.close()


@pytest.mark.parametrize(
    ("address", "reason"),
    [
        (ArxivAddress("9999.99999"), r"arXiv has no such paper \(incorrect id format for 9999.99999\)"),
        (ArxivAddress("1706.03762", 12), "arXiv has no such paper"),
    ],
)
def test_an_unknown_paper_is_told_so(arxiv, address, reason):
    with pytest.raises(SourceError, match=rf"^{address.shown}: {reason}"):
        arxiv.paper(address)


def test_a_refusal_is_waited_for_as_long_as_the_server_says(arxiv, server, slept):
    server.refusals += [Reply(b"Rate exceeded.", 503, headers={"Retry-After": "5"})]
    assert arxiv.paper(ADDRESS).title
    assert slept == [5.0]


@pytest.mark.parametrize(
    ("refusals", "asked"),
    [([Reply(b"", 503)] * 3, 3), ([Reply(b"", 503, headers={"Retry-After": "3600"})], 1), ([Reply(b"", 403)], 1)],
)
def test_tries_end(arxiv, server, refusals, asked):
    server.refusals += refusals
    with pytest.raises(SourceError, match=r"arxiv:1706.03762: arXiv's API cannot be read: .* 50?3 |403"):
        arxiv.paper(ADDRESS)
    assert len(server.asked) == asked


@pytest.mark.parametrize(
    "reply", [Reply(b"<html>", media_type="text/html"), Reply(b"rubbish", media_type="application/pdf")]
)
def test_a_pdf_that_cannot_be_read_is_an_error(arxiv, server, reply):
    server.pdfs["1706.03762"] = reply
    paper = arxiv.paper(ADDRESS)
    with pytest.raises(SourceError):
        arxiv.document(paper, ReadOptions(), ADDRESS.url)


def test_the_abstract_is_a_document_of_its_own(arxiv):
    document = abstract_document(arxiv.paper(ADDRESS), ReadOptions(conversation_id="c"), ADDRESS.url)
    (section,) = document.blocks
    assert section.place.section == ("Abstract",)
    assert section.span.of(document.text).endswith("convolutional networks.")
    assert document.text.startswith("Attention Is All You Need\n\nAbstract")
    assert (document.kind, document.conversation_id) == (DocumentKind.PAPER, "c")


def _ask(url, host, folder):
    fetcher = GuardedClient(WebSettings(allowed_hosts=(host,), retries=0))
    arxiv = ArxivClient(fetcher, url, Spacing("arxiv", 0.3, folder))
    threads = [threading.Thread(target=arxiv.paper, args=(ADDRESS,)) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def test_requests_of_all_threads_and_processes_are_apart(server, tmp_path):
    spawn = multiprocessing.get_context("spawn")
    processes = [spawn.Process(target=_ask, args=(server.url, server.host, tmp_path)) for _ in range(2)]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    moments = sorted(asked.at for asked in server.asked)
    assert len(moments) == 4
    # each waits from the end of the one before; what the clock of the day may be moved by in between is allowed for
    assert all(later - earlier > 0.25 for earlier, later in itertools.pairwise(moments))


def test_who_gets_no_turn_is_told_so(tmp_path):
    spacing = Spacing("arxiv", 0, tmp_path)
    begun, over = threading.Event(), threading.Event()

    def hold():
        with spacing.turn(10):
            begun.set()
            over.wait(10)

    holder = threading.Thread(target=hold)
    holder.start()
    begun.wait(10)
    with pytest.raises(SourceError, match=r"no turn within 0.1 s"), spacing.turn(0.1):
        pass
    over.set()
    holder.join()


@pytest.mark.parametrize(
    ("last", "waits"), [(None, 0.0), (1000.0, 3.0), (999.0, 2.0), (990.0, 0.0), (5000.0, 3.0), ("rubbish", 0.0)]
)
def test_waits_for_what_is_left_of_the_time_between(tmp_path, last, waits):
    slept = []
    if last is not None:
        (tmp_path / "arxiv.last").write_text(str(last))
    with Spacing("arxiv", 3, tmp_path, lambda: 1000.0, slept.append).turn(1):
        pass
    assert slept == [waits]
    assert float((tmp_path / "arxiv.last").read_text()) == 1000.0


def test_the_time_of_the_last_turn_is_kept_when_it_fails(tmp_path):
    with pytest.raises(RuntimeError), Spacing("arxiv", 0, tmp_path, time.time).turn(1):
        raise RuntimeError
    assert (tmp_path / "arxiv.last").exists()


GATES = {
    "id": "2401.00001",
    "version": 2,
    "title": "Gates without attention",
    "summary": "Recurrent gates translate as well as attention does.",
    "authors": ("Ada Nye",),
    "published": "2024-01-02T00:00:00Z",
    "categories": ("cs.CL",),
}


def test_searches_by_words_in_the_syntax_of_the_api():
    served = ArxivServer(ATTENTION, GATES)
    try:
        fetcher = GuardedClient(WebSettings(allowed_hosts=(served.host,), retries=0))
        arxiv = ArxivClient(fetcher, served.url, Spacing("arxiv-search", 0), lambda seconds: None)
        assert [paper.address.name for paper in arxiv.search(("recurrent gates", "attention"), 5)] == ["2401.00001v2"]
        # none has all of them: those with any
        both = arxiv.search(("gates", "convolutional"), 5)
        assert {paper.title for paper in both} == {"Attention Is All You Need", "Gates without attention"}
        assert len(arxiv.search(("gates", "convolutional"), 1)) == 1
        assert arxiv.search(("zebrafish",), 5) == ()
        assert "search_query=all%3A%22recurrent+gates%22+AND+all%3Aattention" in served.asked[0].path
        assert "sortBy=relevance" in served.asked[0].path
    finally:
        served.close()


@pytest.mark.parametrize(
    ("words", "query"),
    [
        (("gates",), "all:gates"),
        (('gates" OR cat:cs.CL', "x)"), 'all:"gates OR cat cs.CL" AND all:x'),
        (("state-of-the-art", "  "), "all:state-of-the-art"),
    ],
)
def test_words_cannot_leave_their_place_in_the_query(words, query):
    assert build_search_query(words, "AND") == query
