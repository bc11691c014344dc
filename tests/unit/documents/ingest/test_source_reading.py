"""Reading the items of a source, whatever its adapter does."""

import threading
from datetime import UTC, datetime

import pytest

from ascertain.core.asking.runs import SystemClock
from ascertain.core.documents.documents import DocumentRecord, DocumentState
from ascertain.documents.formats.reader import ReadLimits, ReadOptions
from ascertain.documents.ingest.preparing import Found, Unchanged, Unreadable
from ascertain.documents.ingest.sources import SourceReading
from ascertain.documents.reading.pool import ReadingStopped
from ascertain.documents.sources.connectors.ports import ItemGone, SourceItem

NOON = datetime(2024, 12, 5, 12, tzinfo=UTC)


class Shelf:
    """Items by id; a content that is an error is raised, one that is a function is called."""

    root = "shelf:one"
    notes = ()
    is_complete = True

    def __init__(self, contents, items=None, ends=None):
        self.contents = contents
        self.items = items or [SourceItem(name, "1", name=f"{name}.txt") for name in contents]
        self.ends = ends
        self.asked = []
        self.closed = 0

    def list_items(self):
        yield from self.items
        if self.ends:
            raise self.ends

    def read(self, item):
        self.asked.append(item.id)
        content = self.contents[item.id]
        if isinstance(content, Exception):
            raise content
        return content() if callable(content) else content

    def close(self):
        self.closed += 1


def a_reading(shelf, *, seconds=60.0, readers=(), known=None, versions=None, **options):
    return SourceReading(
        open=lambda: shelf,
        name="shelf",
        options=ReadOptions(limits=ReadLimits(seconds), **options),
        readers=frozenset(readers),
        known=known or {},
        version_of=(versions or {}).get,
        clock=SystemClock(),
        hide=lambda text: text.replace("s3cret", "…"),
    )


def read_all(reading):
    return {gathered.source: gathered for gathered in reading.read_items()}


def documents(gathered):
    return [item.document for item in gathered.items if isinstance(item, Found)]


def a_record(source, **details):
    given = {
        "id": source,
        "title": source,
        "kind": "prose",
        "source": source,
        "state": DocumentState.INDEXED,
        "reason": "",
    }
    numbers = {"content_hash": "x", "chunks": 1, "characters": 5, "profile": "docs", "added_at": NOON}
    return DocumentRecord(**{**given, **numbers, **details})


def test_bytes_text_and_what_the_source_says_become_a_document():
    item = SourceItem("a", "1", "https://x.org/a", "Otters", NOON, "Ann", ("animals",), name="a.md")
    [gathered] = read_all(a_reading(Shelf({"a": "# Other\n\nOtters swim."}, [item]), tags=("mine",))).values()
    [document] = documents(gathered)
    assert (document.source, document.title, document.author, document.url) == (
        "shelf:one/a",
        "Otters",
        "Ann",
        "https://x.org/a",
    )
    assert (document.published_at, document.tags) == (NOON, ("mine", "animals"))
    assert gathered.state.etag == "1"


def test_one_bad_item_stops_nothing_and_its_secret_stays_hidden():
    shelf = Shelf({"a": RuntimeError("login with s3cret failed"), "b": b"Moles dig."})
    reading = a_reading(shelf)
    found = read_all(reading)
    [bad] = [item for item in found["shelf:one/a"].items if isinstance(item, Unreadable)]
    assert bad.reason == "RuntimeError: login with … failed"
    assert found["shelf:one/a"].state is None
    assert documents(found["shelf:one/b"])
    assert (reading.is_complete, reading.failure) == (True, "")


def test_a_list_that_breaks_off_is_not_complete():
    reading = a_reading(Shelf({"a": b"Otters swim."}, ends=OSError("line cut s3cret")))
    assert documents(read_all(reading)["shelf:one/a"])
    assert reading.failure == "OSError: line cut …"
    assert not reading.is_complete


def test_an_item_that_is_gone_when_it_is_read_counts_as_deleted():
    reading = a_reading(Shelf({"a": ItemGone("a: gone"), "b": b"Moles dig."}))
    assert list(read_all(reading)) == ["shelf:one/b"]
    assert reading.listed == {"shelf:one/b"}
    assert reading.is_complete


def test_what_has_the_same_version_is_not_asked_for():
    shelf = Shelf({"a": b"Otters swim.", "b": b"Moles dig."})
    known = {name: [a_record(name)] for name in ("shelf:one/a", "shelf:one/b")}
    versions = {"shelf:one/a": "1", "shelf:one/b": "0"}
    found = read_all(a_reading(shelf, known=known, versions=versions))
    assert shelf.asked == ["b"]
    assert any(isinstance(item, Unchanged) for item in found["shelf:one/a"].items)


@pytest.mark.parametrize("details", [{"state": DocumentState.FAILED}, {"profile": "news"}, {"tags": ()}])
def test_what_failed_or_would_be_read_otherwise_now_is_read_again(details):
    shelf = Shelf({"a": b"Otters swim."})
    known = {"shelf:one/a": [a_record("shelf:one/a", **{"tags": ("mine",), **details})]}
    read_all(a_reading(shelf, known=known, versions={"shelf:one/a": "1"}, tags=("mine",)))
    assert shelf.asked == ["a"]


def test_items_for_others_stay_out():
    items = [
        SourceItem("a", readers=("board",), name="a.txt"),
        SourceItem("b", readers=("board", "staff"), name="b.txt"),
    ]
    items.append(SourceItem("c", name="c.txt"))
    contents = {"a": b"Pay.", "b": b"Plans.", "c": b"Menu."}
    reading = a_reading(Shelf(contents, items), readers=("staff",))
    assert list(read_all(reading)) == ["shelf:one/b", "shelf:one/c"]
    assert "1 items were left out" in reading.notes[0]
    assert list(read_all(a_reading(Shelf(contents, items)))) == ["shelf:one/c"]


def test_formats_that_are_not_read_are_counted_and_not_fetched():
    shelf = Shelf({"a": b"x"}, [SourceItem("a", name="film.mkv")])
    reading = a_reading(shelf)
    assert read_all(reading) == {}
    assert shelf.asked == []
    assert "1 .mkv" in reading.notes[0]
    assert reading.listed == {"shelf:one/a"}


def test_an_item_that_never_comes_keeps_no_other_from_being_read():
    release = threading.Event()
    shelf = Shelf({"a": lambda: release.wait(30) and b"late", "b": b"Moles dig."})
    reading = a_reading(shelf, seconds=0.5)
    found = read_all(reading)
    release.set()
    assert "no answer within 0.5 s" in next(
        item.reason for item in found["shelf:one/a"].items if isinstance(item, Unreadable)
    )
    assert documents(found["shelf:one/b"])
    assert (reading.is_complete, reading.failure) == (True, "")


def test_a_source_that_never_answers_is_given_up():
    release = threading.Event()
    shelf = Shelf({name: lambda: release.wait(30) and b"late" for name in "abcde"})
    reading = a_reading(shelf, seconds=0.3)
    assert len(read_all(reading)) == 3
    release.set()
    assert "no answer" in reading.failure
    assert not reading.is_complete


def test_stops_in_the_middle_of_an_item_that_takes_long():
    release = threading.Event()
    wanted = [True]

    def be_slow():
        wanted[0] = False
        release.wait(30)
        return b"late"

    with pytest.raises(ReadingStopped):
        read_all(a_reading(Shelf({"a": be_slow}), goes_on=lambda: wanted[0]))
    release.set()
