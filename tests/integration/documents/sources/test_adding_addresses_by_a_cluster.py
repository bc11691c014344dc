"""With ``--engine ray`` addresses are read here and their documents handed to the cluster; its stages run in this process."""

from importlib import util
from pathlib import Path

import pytest
from feeds_written import rss
from small_knowledge import WordHashes, opened
from web_site import Reply, article, with_etag

from ascertain.app.adding.files import Adding
from ascertain.core.asking.passages import Filter
from ascertain.core.settings import IngestSettings, RaySettings
from ascertain.documents.formats.reader import ReadOptions
from ascertain.documents.ingest.cluster.engine import ClusterIngestor
from ascertain.documents.ingest.cluster.stages import Workplace

WORDS = (
    "The harbour bridge is closed to all traffic until the end of May, the city said on Wednesday.",
    "A ferry takes passengers across every half hour, and bicycles go free for as long as the repairs last.",
)
INLINE = Path(__file__).parents[3] / "unit" / "documents" / "ingest" / "cluster" / "conftest.py"


@pytest.fixture
def knowledge(tmp_path, site, monkeypatch):
    spec = util.spec_from_file_location("inline_cluster", INLINE)
    inline = util.module_from_spec(spec)
    spec.loader.exec_module(inline)
    embedder = WordHashes()
    settings = IngestSettings(engine="ray", ray=RaySettings(store_wait_seconds=0))

    def cluster_ingestor(adding):
        store = adding.store()
        workplace = Workplace(settings, ReadOptions(), lambda: store, lambda: embedder)
        return ClusterIngestor(store, inline.InlineCluster(), workplace)

    monkeypatch.setattr(Adding, "cluster_ingestor", cluster_ingestor)
    web = {"allowed_hosts": (site.host,), "retries": 0}
    with opened(tmp_path / "kb", embedder, web=web, ingest=settings) as base:
        yield base


class Listener:
    def __init__(self):
        self.total, self.done, self.failures = 0, 0, []

    def found(self, total_documents, total_bytes):
        self.total += total_bytes

    def report_progress(self, source, bytes_done, chunks):
        self.done += bytes_done

    def failed(self, source, reason):
        self.failures.append(source)


def test_documents_go_to_the_cluster_and_failures_are_told(knowledge, site):
    site.pages["/bridge"] = with_etag(article("Bridge", *WORDS), '"1"')
    site.pages["/feed"] = Reply(
        rss({"title": "T", "guid": "tag:1", "content": WORDS[1]}, {"title": "Empty", "guid": "tag:2"}),
        media_type="text/xml",
    )
    named = [f"{site.url}/bridge", f"{site.url}/feed", f"{site.url}/gone"]
    listener = Listener()
    report = knowledge.add(named, listener=listener)
    assert (report.added, report.unchanged) == (2, 0)
    assert {failure.source for failure in report.failures} == {f"{site.url}/gone", f"{site.url}/feed#tag:2"}
    assert sorted(listener.failures) == [f"{site.url}/feed#tag:2", f"{site.url}/gone"]
    assert listener.done == listener.total

    again = knowledge.add(named[:1])
    assert (again.added, again.unchanged, again.failures) == (0, 1, ())
    assert site.asked[-1].headers["if-none-match"] == '"1"'


def test_rows_that_are_gone_are_deleted(knowledge, site):
    table = "title,content\nOne,First words about bridges.\nTwo,More words about geese.\n"
    site.pages["/t.csv"] = lambda asked: Reply(table.encode(), media_type="text/csv")
    assert knowledge.add([f"{site.url}/t.csv"]).added == 2
    table = table.replace("Two,More words about geese.\n", "")
    assert knowledge.add([f"{site.url}/t.csv"]).deleted == 1
    (row,) = knowledge.documents(Filter())
    assert row.title == "One"
