from __future__ import annotations

import json
import random
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ascertain.core.asking.passages import Filter
from ascertain.core.documents.documents import Document, DocumentKind, DocumentState, document_id
from ascertain.core.errors import EmbeddingMismatch, ModelError, StoreError, UsageError
from ascertain.core.settings import GraphSettings, IngestSettings, StoreSettings
from ascertain.documents.ingest.cluster.batches import DocumentBatch, Outcome, SourceBatch
from ascertain.documents.ingest.cluster.engine import ClusterIngestor
from ascertain.documents.ingest.pipeline import Ingestor
from ascertain.graph.extraction.rules import RuleExtractor
from ascertain.graph.synchronisation import GraphUpkeep
from ascertain.stores.ports.chunks import ChunkStore
from ascertain.stores.registry import open_graph, open_store

STORY = " ".join(f"word{n} of the story about a fox" for n in range(60))
OTHER = " ".join(f"sentence{n} of the tale about an owl" for n in range(60))


def a_document(source: str, text: str = "A fox saw a hen.", **fields: object) -> Document:
    values = {"title": source, "kind": DocumentKind.PROSE, **fields}
    return Document(id=document_id(source), text=text, source=source, **values)  # type: ignore[arg-type]


class Listener:
    def __init__(self) -> None:
        self.total_bytes = 0
        self.bytes_done = 0
        self.chunks = 0
        self.failures: list[str] = []

    def found(self, total_documents: int | None, total_bytes: int) -> None:
        self.total_bytes = total_bytes

    def report_progress(self, source: str, bytes_done: int, chunks: int) -> None:
        self.bytes_done += bytes_done
        self.chunks += chunks

    def failed(self, source: str, reason: str) -> None:
        self.failures.append(source)


@pytest.fixture
def other_store(tmp_path: Path, embedder):
    store = open_store(StoreSettings(), tmp_path / "other", embedder.name, embedder.dimension)
    yield store
    store.close()


@pytest.fixture
def stores(store, other_store):
    return store, other_store


@pytest.fixture
def local(other_store, embedder) -> Ingestor:
    return Ingestor(other_store, embedder, IngestSettings(embed_batch=4, write_batch=6))


def content(store: ChunkStore) -> list[object]:
    """Everything a store holds that does not depend on the clock."""
    found: list[object] = []
    for record in store.documents():
        chunks = list(store.iterate_chunks(Filter(document_ids=(record.id,))))
        vectors = store.vectors([chunk.id for chunk in chunks])
        found.append(
            (
                (record.id, record.source, record.state, record.reason, record.duplicate_of),
                (record.content_hash, record.chunks, record.document_profile, record.tags),
                chunks,
                np.asarray(vectors).round(6).tolist(),
            )
        )
    return found


def figures(report) -> tuple[object, ...]:
    counts = (report.added, report.changed, report.unchanged, report.deleted, report.duplicates, report.chunks)
    return (*counts, sorted((failure.source, failure.reason) for failure in report.failures), report.notes)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path.resolve() / "notes"
    folder.mkdir()
    for number in range(12):
        (folder / f"note{number:02}.txt").write_text(
            f"Note {number}. The fox number {number} saw a hen.\n" * (1 + 40 * (number % 3))
        )
    (folder / "story1.txt").write_text(STORY)
    (folder / "story2.txt").write_text(STORY.replace("word7 ", "changed "))
    (folder / "empty.txt").write_text("")
    (folder / "broken.pdf").write_bytes(b"%PDF-1.4 nothing")
    (folder / "picture.xyz").write_text("of a fox")
    rows = [{"title": f"Row {n}", "content": f"Row {n} tells of a hen. " * 9} for n in range(30)]
    lines = [json.dumps(row) for row in rows]
    (folder / "rows.jsonl").write_text("\n".join([*lines[:20], "{not json", *lines[20:]]) + "\n")
    return folder


def test_it_gives_what_the_local_engine_gives(
    ingestor: ClusterIngestor, local: Ingestor, stores, cluster, folder: Path
) -> None:
    store, other_store = stores
    cluster.order = lambda batches: random.Random(1).sample(batches, len(batches))
    for change in (lambda: None, lambda: None, lambda: change_some(folder)):
        change()
        listener = Listener()
        here = ingestor.add_paths([folder], profile="docs", tags=["t"], sync=True, listener=listener)
        there = local.add_paths([folder], profile="docs", tags=["t"], sync=True)
        assert figures(here) == figures(there)
        assert content(store) == content(other_store)
        assert listener.bytes_done == listener.total_bytes
        assert len(listener.failures) == 3
        assert listener.chunks == here.chunks
    assert cluster.outcome_count > 10
    assert store.check().problems == ()


def change_some(folder: Path) -> None:
    (folder / "note01.txt").write_text("Now it is about an owl.")
    (folder / "note02.txt").unlink()
    (folder / "story1.txt").write_text(OTHER)
    (folder / "story3.txt").write_text(STORY)


def test_documents_made_by_the_caller_come_by_the_same_path(
    ingestor: ClusterIngestor, local: Ingestor, store, other_store
) -> None:
    documents = [a_document(f"d{n}", f"Text {n}.") for n in range(20)]
    documents += [a_document("d3", "Text of another."), a_document("mine", "Mine.", tenant="b")]
    for _ in range(2):
        here, there = ingestor.add_documents(documents), local.add_documents(documents)
        assert store.document(document_id("d3")).text == "Text of another."
        assert content(store) == content(other_store)
    assert (here.unchanged, here.added, len(here.notes)) == (21, 0, 1)
    assert (there.added, len(there.notes)) == (0, 1)


def test_a_path_that_does_not_exist_is_a_usage_error_before_workers_are_called(
    ingestor: ClusterIngestor, cluster, tmp_path: Path
) -> None:
    with pytest.raises(UsageError, match="nowhere"):
        ingestor.add_paths([tmp_path / "nowhere"], profile="docs")
    assert cluster.rounds == []


class TestWorkersThatDie:
    def test_what_was_lost_is_done_again_and_nothing_twice(
        self, ingestor: ClusterIngestor, local: Ingestor, stores, cluster, folder: Path
    ) -> None:
        chance = random.Random(5)
        left = [6]

        def dies(_: object) -> None:
            if left[0] and chance.random() < 0.4:
                left[0] -= 1
                raise cluster.death

        cluster.dies_reading = cluster.dies_embedding = cluster.dies_after_writing = dies
        listener = Listener()
        here = ingestor.add_paths([folder], profile="docs", listener=listener)
        there = local.add_paths([folder], profile="docs")
        assert left == [0]
        assert figures(here) == figures(there)
        assert content(stores[0]) == content(stores[1])
        assert (listener.bytes_done, listener.chunks) == (listener.total_bytes, here.chunks)

    def test_a_file_that_kills_whoever_reads_it_is_reported_and_takes_nothing_with_it(
        self, ingestor: ClusterIngestor, store, cluster, folder: Path
    ) -> None:
        def dies(batch: SourceBatch) -> None:
            if any(source.content == folder / "note05.txt" for source in batch.sources):
                raise cluster.death

        cluster.dies_reading = dies
        report = ingestor.add_paths([folder], profile="docs", sync=True)
        assert report.added == 11 + 2 + 30
        failures = {Path(failure.source).name: failure.reason for failure in report.failures}
        assert failures.keys() == {"note05.txt", "empty.txt", "broken.pdf", "rows.jsonl#21"}
        assert "died, 3 times in a row" in failures["note05.txt"]
        assert len(cluster.rounds) == 3
        cluster.dies_reading = lambda batch: None
        again = ingestor.add_paths([folder], profile="docs")
        assert (again.added, again.unchanged, len(again.failures)) == (1, 43, 3)

    def test_a_document_that_kills_the_model_fails_alone(
        self, ingestor: ClusterIngestor, store, cluster, folder: Path
    ) -> None:
        def dies(batch: DocumentBatch) -> None:
            if any(placed.ready.document.title == "Row 7" for placed in batch.documents):
                raise cluster.death

        cluster.dies_embedding = dies
        report = ingestor.add_paths([folder / "rows.jsonl"], profile="docs")
        assert report.added == 29
        lost = next(failure for failure in report.failures if "died" in failure.reason)
        assert lost.source == f"{folder / 'rows.jsonl'}#8"
        record = next(record for record in store.documents() if record.state is DocumentState.FAILED)
        assert record.source in {lost.source, f"{folder / 'rows.jsonl'}#21"}

    def test_a_lost_document_of_the_caller_is_reported(self, ingestor: ClusterIngestor, cluster, store) -> None:
        def dies(batch: SourceBatch) -> None:
            if any(source.content.source == "d1" for source in batch.sources):
                raise cluster.death

        cluster.dies_reading = dies
        report = ingestor.add_documents([a_document(f"d{n}", f"Text {n}.") for n in range(4)])
        assert (report.added, [failure.source for failure in report.failures]) == (3, ["d1"])


class TestDuplicates:
    @settings(max_examples=5, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
    @given(st.randoms(use_true_random=False))
    def test_links_do_not_depend_on_who_writes_first(
        self, ingestor: ClusterIngestor, store, cluster, chance: random.Random
    ) -> None:
        store.delete(Filter())
        cluster.order = lambda batches: chance.sample(batches, len(batches))
        words = STORY.split()
        versions = [STORY, OTHER, *(" ".join([*words[:n], "changed", *words[n + 1 :]]) for n in range(3, 400, 90))]
        texts = [chance.choice(versions) for _ in range(12)]
        report = ingestor.add_documents([a_document(f"d{n:02}", text) for n, text in enumerate(texts)])
        firsts: dict[bool, str] = {}
        for n, text in enumerate(texts):
            firsts.setdefault(text == OTHER, document_id(f"d{n:02}"))
        for record in store.documents():
            first = firsts[store.document(record.id).text == OTHER]
            assert record.duplicate_of == (None if record.id == first else first)
        assert report.duplicates == len(texts) - len(firsts)

    def test_what_was_there_before_stays_the_original_when_it_changes(
        self, ingestor: ClusterIngestor, local: Ingestor, store, other_store
    ) -> None:
        for engine in (ingestor, local):
            engine.add_documents([a_document("b", STORY)])
            engine.add_documents([a_document("a", STORY), a_document("b", STORY.replace("word7 ", "new "))])
            engine.add_documents([a_document("a", STORY + "."), a_document("b", STORY + "!")])
        assert content(store) == content(other_store)
        assert store.documents()[0].duplicate_of == document_id("b")

    def test_an_interrupted_run_is_settled_by_the_next(
        self, ingestor: ClusterIngestor, store, cluster, folder: Path
    ) -> None:
        before = ingestor.add_documents([a_document("elsewhere", OTHER)])
        assert before.added == 1
        for number in range(4):
            (folder / f"same{number}.txt").write_text(STORY)
        (folder / "tale.txt").write_text(OTHER)
        since = min(record.added_at for record in store.documents())
        cluster.order = lambda batches: batches[::-1]
        outcomes = cluster.outcomes

        def interrupted(*arguments):
            yield from outcomes(*arguments)
            raise KeyboardInterrupt

        cluster.outcomes = interrupted
        with pytest.raises(KeyboardInterrupt):
            ingestor.add_paths([folder], profile="docs")
        cluster.outcomes = outcomes
        since = max(since, sorted(record.added_at for record in store.documents())[1])
        report = ingestor.add_paths([folder], profile="docs", resumed_since=since)
        assert report.added == 0
        links = {Path(r.source).name: r.duplicate_of for r in store.documents() if r.duplicate_of}
        first = document_id(str(folder / "same0.txt"))
        assert links == {
            **dict.fromkeys(("same1.txt", "same2.txt", "same3.txt", "story1.txt", "story2.txt"), first),
            "tale.txt": document_id("elsewhere"),
        }


class TestTrouble:
    def test_a_model_that_does_not_run_ends_the_ingest(
        self, ingestor: ClusterIngestor, embedder, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def fail(texts: object) -> None:
            raise ModelError("the model is gone")

        monkeypatch.setattr(embedder, "embed_documents", fail)
        with pytest.raises(ModelError, match="the model is gone"):
            ingestor.add_documents([a_document("a")])

    def test_a_store_that_stays_away_ends_it_and_the_next_run_continues(
        self, ingestor: ClusterIngestor, store, monkeypatch: pytest.MonkeyPatch, folder: Path
    ) -> None:
        write = store.upsert
        calls = []

        def fail(documents: object) -> None:
            calls.append(1)
            if len(calls) > 3:
                raise StoreError("the server is away")
            write(documents)

        monkeypatch.setattr(store, "upsert", fail)
        with pytest.raises(StoreError, match="the server is away"):
            ingestor.add_paths([folder], profile="docs")
        monkeypatch.setattr(store, "upsert", write)
        stored = len(store.known())
        assert stored > 0
        report = ingestor.add_paths([folder], profile="docs")
        assert (report.unchanged, report.unchanged + report.added) == (stored, 44)

    def test_an_embedding_mismatch_is_itself(
        self, ingestor: ClusterIngestor, store, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def fail(documents: object) -> None:
            raise EmbeddingMismatch("another model")

        monkeypatch.setattr(store, "upsert", fail)
        with pytest.raises(EmbeddingMismatch, match="another model"):
            ingestor.add_documents([a_document("a")])


def test_a_document_the_model_cannot_take_fails_alone(ingestor: ClusterIngestor, store) -> None:
    report = ingestor.add_documents([a_document("a"), a_document("b", "POISON in it."), a_document("c", "Good.")])
    assert report.added == 2
    assert [(failure.source, failure.reason) for failure in report.failures] == [
        ("b", "could not be embedded (ValueError: cannot embed this)")
    ]


def test_outcomes_tell_the_driver_no_texts(ingestor: ClusterIngestor, cluster, folder: Path) -> None:
    seen: list[Outcome] = []
    cluster.dies_after_writing = seen.append
    ingestor.add_paths([folder], profile="docs")
    assert "hen" not in repr(seen)


def test_workers_have_the_graph_follow_what_they_write(store, cluster, workplace, tmp_path):
    graph = open_graph(GraphSettings(), StoreSettings(), tmp_path / "home")
    upkeep = GraphUpkeep(lambda: graph, lambda: RuleExtractor({}.get))
    ingestor = ClusterIngestor(store, cluster, replace(workplace, open_graph=lambda: upkeep))
    texts = ("Ana Flores was born in Zagreb.", "Ana Flores met Ben Ito in Port Louis.")
    for number, text in enumerate(texts):
        (tmp_path / f"{number}.txt").write_text(text)
    report = ingestor.add_paths([tmp_path / "0.txt", tmp_path / "1.txt"], profile="docs")
    assert report.graph.documents == 2
    assert report.graph.names == len({name.key for name in graph.columns("default").names})
    assert graph.known("default").keys() == store.known().keys()
    graph.close()
