"""Downloads of public benchmarks from a server on loopback."""

import errno
import hashlib
import io
import json
import zipfile
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from types import MappingProxyType

import pytest

from ascertain.core.errors import SourceError, StoreError, UsageError
from ascertain.core.settings import Settings, WebSettings
from ascertain.evaluation import commands
from ascertain.evaluation.commands import Order, run_order
from ascertain.evaluation.public import downloads
from ascertain.evaluation.public.downloads import Benchmark, find_public_set, load_catalogue, prepare_public_set
from ascertain.evaluation.sets.knowledge import Listener


def make_archive():
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w") as archive:
        archive.writestr(
            "tiny/corpus.jsonl",
            '{"_id": "tea", "title": "Tea", "text": "Tea is made from the leaves of Camellia sinensis."}\n'
            '{"_id": "rain", "title": "Rain", "text": "Rain is water that falls from clouds."}\n',
        )
        archive.writestr("tiny/queries.jsonl", '{"_id": "1", "text": "Which plant is tea made from?"}\n')
        archive.writestr("tiny/qrels/test.tsv", "query-id\tcorpus-id\tscore\n1\ttea\t1\n")
    return held.getvalue()


ARCHIVE = make_archive()


class Shelf:
    """What the server gives, how, and what it was asked for."""

    def __init__(self):
        self.body = ARCHIVE
        self.etag = '"one"'
        self.knows_parts = True
        self.moved_to = ""
        self.asked = []
        self.url = ""


@pytest.fixture
def shelf():
    with serve(Shelf()) as held:
        yield held


@contextmanager
def serve(held):
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            asked = self.headers.get("Range", "")
            held.asked.append(asked)
            if held.moved_to:
                self.send_response(302)
                self.send_header("Location", held.moved_to)
                self.end_headers()
                return
            is_part = held.knows_parts and self.headers.get("If-Range", held.etag) == held.etag
            first, _, last = asked.removeprefix("bytes=").partition("-")
            body = held.body[int(first) : int(last) + 1] if is_part else held.body
            self.send_response(206 if is_part else 200)
            if is_part:
                self.send_header("Content-Range", f"bytes {first}-{int(first) + len(body) - 1}/{len(held.body)}")
            self.send_header("ETag", held.etag)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = Thread(target=server.serve_forever, daemon=True)
    thread.start()
    held.url = f"http://127.0.0.1:{server.server_port}/{{variant}}.zip"
    try:
        yield held
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


WEB = WebSettings(allowed_hosts=("127.0.0.1",), retries=0)


def benchmark(shelf, **changes):
    held = {
        "name": "beir",
        "about": "Small sets",
        "home": "https://example.org",
        "licence": "CC0",
        "form": "beir",
        "url": shelf.url,
        "kinds": ("retrieval",),
        "megabytes": 1,
        "md5": {"tiny": hashlib.md5(ARCHIVE).hexdigest()},
    }
    return Benchmark.model_validate(held | changes)


@pytest.fixture
def fetch(shelf, tmp_path):
    remarks = []

    def fetch_set(**changes):
        wanted = downloads.PublicSet(benchmark(shelf, **changes), "tiny")
        folder = prepare_public_set(wanted, tmp_path / "data", WEB, Listener(lambda _: None, remarks.append))
        return folder, remarks

    return fetch_set


def test_a_set_is_downloaded_checked_and_kept(shelf, fetch):
    folder, remarks = fetch()
    assert sorted(path.name for path in folder.iterdir()) == [
        *("corpus.jsonl", "qrels.tsv", "queries.jsonl", "source.json")
    ]
    said = json.loads((folder / "source.json").read_text("utf-8"))
    assert said["sha256"] == {"beir-tiny.zip": hashlib.sha256(ARCHIVE).hexdigest()}
    assert remarks[0] == "beir-tiny: Small sets. Licence: CC0 (https://example.org)"
    asked = len(shelf.asked)
    fetch()
    assert len(shelf.asked) == asked == 1


def test_a_download_comes_in_parts(shelf, fetch, monkeypatch):
    monkeypatch.setattr(downloads, "PART_BYTES", 100)
    fetch()
    assert len(shelf.asked) == -(-len(ARCHIVE) // 100)
    assert shelf.asked[1] == "bytes=100-199"


def test_a_download_that_was_stopped_goes_on(shelf, fetch, tmp_path):
    stop_after(shelf, tmp_path, 150)
    fetch()
    assert shelf.asked[0].startswith("bytes=150-")


def test_a_download_begins_anew_where_the_file_has_changed(shelf, fetch, tmp_path):
    stop_after(shelf, tmp_path, 150, etag='"older"')
    fetch()
    assert len(shelf.asked) == 1


def stop_after(shelf, tmp_path, size, etag=None):
    kept = tmp_path / "data" / "downloads"
    kept.mkdir(parents=True)
    (kept / "beir-tiny.zip.part").write_bytes(ARCHIVE[:size] if etag is None else b"?" * size)
    (kept / "beir-tiny.zip.mark").write_text(etag or shelf.etag)


def test_a_server_that_knows_no_parts_gives_all(shelf, fetch, tmp_path):
    shelf.knows_parts = False
    stop_after(shelf, tmp_path, 150)
    assert (fetch()[0] / "corpus.jsonl").exists()


def test_a_part_is_asked_for_where_a_redirect_leads(shelf, fetch):
    with serve(Shelf()) as other:
        shelf.moved_to = other.url.replace("{variant}", "moved")
        fetch()
        assert other.asked[0].startswith("bytes=0-")


def test_another_file_than_the_published_one_is_removed_and_refused(shelf, fetch, tmp_path):
    shelf.body = ARCHIVE[:-1] + b"!"
    with pytest.raises(SourceError, match=r"beir-tiny\.zip: its MD5 is .*, its publisher states .*; it was removed"):
        fetch()
    assert list((tmp_path / "data" / "downloads").iterdir()) == []
    shelf.body = ARCHIVE
    fetch()


def test_a_file_that_is_too_large_is_refused_before_it_is_written(shelf, fetch, tmp_path, monkeypatch):
    monkeypatch.setattr(downloads, "PART_BYTES", 1000)
    shelf.body = bytes(1_000_001)
    with pytest.raises(UsageError, match="1 MB, more than the 1 MB that this set may have"):
        fetch()
    assert list((tmp_path / "data" / "downloads").iterdir()) == []


def test_a_full_disk_is_told_and_what_came_is_kept(fetch, tmp_path, monkeypatch):
    monkeypatch.setattr(downloads, "PART_BYTES", 100)
    parts = []
    fetch_part = downloads._fetch_part

    def fill_disk(*args):
        if len(parts) == 2:
            raise OSError(errno.ENOSPC, "No space left on device")
        parts.append(args)
        return fetch_part(*args)

    monkeypatch.setattr(downloads, "_fetch_part", fill_disk)
    with pytest.raises(StoreError, match="no space is left for beir-tiny; free some, or name another folder"):
        fetch()
    assert (tmp_path / "data" / "downloads" / "beir-tiny.zip.part").stat().st_size == 200


def test_without_a_network_it_says_what_can_be_done(fetch, tmp_path):
    url = "http://127.0.0.1:9/{variant}.zip"
    with pytest.raises(UsageError) as told:
        fetch(url=url)
    message = str(told.value)
    assert message.startswith("beir-tiny: cannot be downloaded: http://127.0.0.1:9/tiny.zip: cannot be connected to")
    assert f"put http://127.0.0.1:9/tiny.zip as {tmp_path}/data/downloads/beir-tiny.zip" in message


def test_a_file_put_there_by_hand_is_taken(fetch, tmp_path):
    kept = tmp_path / "data" / "downloads"
    kept.mkdir(parents=True)
    (kept / "beir-tiny.zip").write_bytes(ARCHIVE)
    assert (fetch(url="http://127.0.0.1:9/{variant}.zip")[0] / "corpus.jsonl").exists()


@pytest.mark.parametrize(
    ("name", "folder"),
    [
        ("beir:scifact", "beir-scifact"),
        ("beir:cqadupstack/android", "beir-cqadupstack-android"),
        ("musique", "musique"),
        ("musique:500", "musique-500"),
        ("beir:scifact:50", "beir-scifact-50"),
    ],
)
def test_a_set_is_found_by_its_name(name, folder):
    assert find_public_set(name).folder == folder


def test_a_name_of_no_benchmark_is_none():
    assert find_public_set("handbook") is None


@pytest.mark.parametrize("name", ["beir", "beir:scifacts", "musique:dev", "musique:dev:50", "beir:scifact:0"])
def test_an_unknown_variant_is_an_error_that_names_those_there_are(name):
    with pytest.raises(UsageError, match=rf"no set '{name}'; there are {name.split(':')[0]}"):
        find_public_set(name)


def test_every_benchmark_of_the_catalogue_is_complete():
    for name, entry in load_catalogue().items():
        assert entry.url.startswith("http"), name
        assert ("{variant}" in entry.url) == bool(entry.md5), name
        assert set(entry.kinds) <= set(commands.KINDS), name
        assert entry.licence, name


def measure(order, tmp_path, **settings):
    rows = []
    run_order(
        order, Settings(web=WEB, **settings), None, rows.append, listener=Listener(lambda _: None, lambda _: None)
    )
    return rows


def test_a_public_benchmark_is_measured_by_its_name(shelf, tmp_path, monkeypatch):
    catalogue = MappingProxyType({"beir": benchmark(shelf)})
    monkeypatch.setattr(downloads, "load_catalogue", lambda: catalogue)
    (row,) = measure(Order("retrieval", tmp_path, ("beir:tiny",)), tmp_path)
    assert (row["set"], row["documents"], row["metrics"]["R@5"]) == ("beir-tiny", 2, 1.0)


def test_a_kind_that_a_benchmark_has_no_questions_for_is_refused(tmp_path):
    with pytest.raises(UsageError, match="beir:scifact has no questions for `ascertain eval answers`"):
        measure(Order("answers", tmp_path, ("beir:scifact",)), tmp_path)


def test_an_unknown_name_without_a_folder_names_the_benchmarks(tmp_path):
    with pytest.raises(
        UsageError, match=r"no public benchmark 'handbook'; there are beir, hotpotqa, .* add --data DIR"
    ):
        measure(Order("retrieval", None, ("handbook",)), tmp_path)


def test_a_set_of_ones_own_is_not_taken_for_a_benchmark(tmp_path):
    (tmp_path / "musique").mkdir()
    with pytest.raises(UsageError, match="no evaluation set 'musique' in"):
        measure(Order("retrieval", tmp_path, ("musique",)), tmp_path)
