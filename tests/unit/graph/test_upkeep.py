"""The graph follows what is written and deleted, never fails it, and catches up where it could not."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

import numpy as np
import pytest

from ascertain.core.asking.passages import Filter
from ascertain.core.documents.documents import Chunk, Document, DocumentKind
from ascertain.core.errors import ModelError, StoreError
from ascertain.core.graph.nouns import DocumentGraph
from ascertain.core.settings import ChunkerSettings, GraphSettings, StoreSettings
from ascertain.documents.ingest.chunking.chunks import chunk_document
from ascertain.graph.catching_up import Difference, catch_up, find_difference
from ascertain.graph.extraction.rules import RuleExtractor
from ascertain.graph.synchronisation import FollowedStore, GraphUpkeep
from ascertain.stores.ports.chunks import IndexedDocument
from ascertain.stores.registry import open_graph, open_store

ANA = "Ana Flores was born in Zagreb. She met Ben Ito in Port Louis."


class Reader(RuleExtractor):
    """The rules, which can be told to stumble over a text, to stop, or to be another extractor."""

    kind = "rules"

    def __init__(self) -> None:
        super().__init__({}.get)
        self.reads = 0
        self.error: Exception | None = None
        self.stops = False

    @property
    def name(self) -> str:
        return self.kind

    def extract(self, documents: Iterable[tuple[str, Sequence[Chunk]]]) -> Iterator[DocumentGraph]:
        if self.error is not None:
            raise self.error
        for content_hash, chunks in documents:
            if any("stumble" in chunk.text for chunk in chunks):
                raise ValueError("a text that trips it up")
            if self.stops:
                return
            self.reads += 1
            for graph in super().extract([(content_hash, chunks)]):
                yield replace(graph, version=f"{content_hash}:{self.name}")


@pytest.fixture
def plain(tmp_path):
    with_store = open_store(StoreSettings(), tmp_path / "kb", "model", 4)
    yield with_store
    with_store.close()


@pytest.fixture
def graph(plain, tmp_path):
    opened = open_graph(GraphSettings(), StoreSettings(), tmp_path / "kb")
    yield opened
    opened.close()


@pytest.fixture
def reader():
    return Reader()


@pytest.fixture
def upkeep(graph, reader):
    return GraphUpkeep(lambda: graph, lambda: reader)


@pytest.fixture
def store(plain, upkeep):
    return FollowedStore(plain, upkeep)


def indexed(name: str, text: str = ANA, **details: object) -> IndexedDocument:
    document = Document(name, text, name, DocumentKind.PROSE, f"{name}.txt", **details)
    chunks = chunk_document(document, ChunkerSettings()) if text else []
    searchable = sum(not chunk.is_parent for chunk in chunks)
    return IndexedDocument(document, chunks, np.full((searchable, 4), 0.5, np.float32))


def names(graph, tenant="default"):
    return {name.key for name in graph.columns(tenant).names}


def test_what_is_written_is_read_and_what_is_deleted_is_forgotten(store, graph):
    store.upsert([indexed("a"), indexed("b", "Ben Ito lives in Port Louis.")])
    assert {"ana flores", "zagreb", "ben ito"} <= names(graph)
    store.delete(Filter(document_ids=("a",)))
    assert "ana flores" not in names(graph)
    assert "ben ito" in names(graph)
    assert list(graph.known("default")) == ["b"]


def test_a_new_version_takes_the_place_of_the_old_one(store, graph):
    store.upsert([indexed("a")])
    store.upsert([indexed("a", "Karen Jones was born in Zagreb.")])
    assert "karen jones" in names(graph)
    assert "ana flores" not in names(graph)


def test_tenants_are_kept_apart(store, graph):
    store.upsert([indexed("a"), indexed("b", "Karen Jones was born in Zagreb.", tenant="other")])
    assert "karen jones" not in names(graph)
    assert "karen jones" in names(graph, "other")


def test_a_document_whose_link_is_rewritten_is_not_read_again(store, reader):
    store.upsert([indexed("a")])
    store.upsert(store.export(["a"]))
    assert reader.reads == 1


def test_a_document_without_words_is_in_the_graph_and_names_nothing(store, plain, graph, upkeep):
    store.upsert([indexed("a", "")])
    assert list(graph.known("default")) == ["a"]
    assert find_difference(plain, upkeep, "default") == Difference()


def test_one_text_that_cannot_be_read_keeps_no_other_from_the_graph(store, plain, graph, upkeep):
    with upkeep.open_tally() as tally:
        store.upsert([indexed("a"), indexed("b", "We stumble here."), indexed("c")])
    assert set(graph.known("default")) == {"a", "c"}
    assert set(plain.known()) == {"a", "b", "c"}
    assert tally.documents == 2
    (note,) = tally.notes
    assert "b.txt could not be read (ValueError: a text that trips it up)" in note
    assert "ascertain graph build" in note


@pytest.mark.parametrize(
    "error", [StoreError("the server is away"), ModelError("no key"), RuntimeError("a driver's own")]
)
def test_nothing_that_goes_wrong_with_the_graph_fails_a_write(store, plain, reader, upkeep, error):
    reader.error = error
    with upkeep.open_tally() as tally:
        store.upsert([indexed("a")])
    assert list(plain.known()) == ["a"]
    assert str(error) in tally.notes[0]
    reader.error = None
    found = find_difference(plain, upkeep, "default")
    assert catch_up(plain, upkeep, "default", found).read == 1
    assert find_difference(plain, upkeep, "default") == Difference()


def test_a_graph_that_cannot_be_opened_fails_no_deletion(plain, caplog):
    def away():
        raise StoreError("the server is away")

    store = FollowedStore(plain, GraphUpkeep(away, Reader))
    with caplog.at_level(logging.WARNING, logger="ascertain.graph"):
        store.upsert([indexed("a")])
        assert store.delete(Filter(document_ids=("a",))) == 1
    assert [record.getMessage() for record in caplog.records if "the server is away" in record.getMessage()]


def test_where_nothing_is_read_what_is_replaced_is_forgotten(store, plain, graph):
    store.upsert([indexed("a"), indexed("b")])
    off = FollowedStore(plain, GraphUpkeep(lambda: graph, None))
    off.upsert([indexed("a", "Karen Jones was born in Zagreb.")])
    assert list(graph.known("default")) == ["b"]


def test_an_extractor_that_stops_leaves_no_earlier_version_behind(store, plain, graph, reader, upkeep):
    store.upsert([indexed("a")])
    reader.stops = True
    with upkeep.open_tally() as tally:
        store.upsert([indexed("a", "Karen Jones was born in Zagreb.")])
    assert graph.known("default") == {}
    assert "has stopped reading" in tally.notes[0]
    assert find_difference(plain, upkeep, "default").missing == ("a",)


def test_the_tally_counts_each_name_once(store, upkeep):
    with upkeep.open_tally() as tally:
        store.upsert([indexed("a"), indexed("b")])
    assert tally.documents == 2
    assert {"ana flores", "zagreb"} <= tally.names
    assert tally.mentions > len(tally.names)


def test_catching_up_repairs_in_both_directions(store, plain, graph, upkeep):
    store.upsert([indexed(name) for name in ("kept", "changed", "deleted")])
    said = graph.graphs("default", ("kept", "changed", "deleted"))
    plain.upsert([indexed("missed"), indexed("changed", "Karen Jones was born in Zagreb.")])
    plain.delete(Filter(document_ids=("deleted",)))
    graph.upsert(said)  # as a graph that is not in the same file has it, after a kill
    found = find_difference(plain, upkeep, "default")
    assert found == Difference(missing=("missed",), outdated=("changed",), gone=("deleted",))
    done = catch_up(plain, upkeep, "default", found)
    assert (done.read, done.removed, done.left) == (2, 1, 0)
    assert find_difference(plain, upkeep, "default") == Difference()
    assert set(graph.known("default")) == {"kept", "changed", "missed"}
    assert "karen jones" in names(graph)


def test_another_extractor_reads_everything_again_when_asked_to(store, plain, graph, reader, upkeep):
    store.upsert([indexed("a")])
    reader.kind = "better rules"
    found = find_difference(plain, upkeep, "default")
    assert found.otherwise_read == ("a",)
    assert not found.untrue
    catch_up(plain, upkeep, "default", found)
    assert graph.known("default")["a"].endswith(":better rules")


def test_a_document_that_failed_keeps_the_graph_of_its_earlier_version(store, plain, upkeep):
    store.upsert([indexed("a")])
    store.mark_failed(indexed("a", "New text.").document, "damaged")
    store.mark_failed(indexed("b").document, "damaged")
    assert find_difference(plain, upkeep, "default") == Difference()


def test_catching_up_is_gone_on_with_after_an_interruption(plain, graph, reader, upkeep):
    plain.upsert([indexed(f"{number:03}") for number in range(230)])

    class Interrupted(BaseException):
        pass

    heard = []

    class Listener:
        def report_progress(self, done, total, chunks):
            heard.append((done, total))
            raise Interrupted

    with pytest.raises(Interrupted):
        catch_up(plain, upkeep, "default", find_difference(plain, upkeep, "default"), Listener())
    ((done, total),) = heard
    assert 0 < done < total == 230
    before = reader.reads
    catch_up(plain, upkeep, "default", find_difference(plain, upkeep, "default"))
    assert reader.reads - before == 230 - done
    assert len(graph.known("default")) == 230


def test_whoever_looks_last_leaves_the_graph_of_what_is_there(plain, graph, reader):
    """Another process writes the document again between our chunks and our graph."""
    upkeep = GraphUpkeep(lambda: graph, lambda: reader)
    theirs = indexed("a", "Karen Jones was born in Zagreb.")
    write = graph.upsert

    def late(graphs):
        graph.upsert = write
        FollowedStore(plain, GraphUpkeep(lambda: graph, Reader)).upsert([theirs])
        write(graphs)

    graph.upsert = late
    FollowedStore(plain, upkeep).upsert([indexed("a")])
    assert graph.known("default")["a"].startswith(theirs.document.content_hash)
    assert "ana flores" not in names(graph)


def test_a_document_that_another_process_deletes_meanwhile_leaves_nothing(plain, graph, reader):
    write = graph.upsert

    def late(graphs):
        graph.upsert = write
        FollowedStore(plain, GraphUpkeep(lambda: graph, Reader)).delete(Filter(document_ids=("a",)))
        write(graphs)

    graph.upsert = late
    FollowedStore(plain, GraphUpkeep(lambda: graph, lambda: reader)).upsert([indexed("a")])
    assert graph.known("default") == {}


def test_a_run_has_an_extractor_of_its_own():
    made: list[Reader] = []

    def make():
        made.append(Reader())
        return made[-1]

    upkeep = GraphUpkeep(pytest.fail, make)
    outside = upkeep.extractor
    assert upkeep.extractor is outside
    with upkeep.open_tally():
        assert upkeep.extractor is not outside
        assert upkeep.extractor is made[-1]
    assert upkeep.extractor is outside
