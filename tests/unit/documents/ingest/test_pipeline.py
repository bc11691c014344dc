from __future__ import annotations

import json
import time
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest

from ascertain.core.documents.documents import (
    Completeness,
    Document,
    DocumentKind,
    DocumentRecord,
    DocumentState,
    LeftOut,
    document_id,
)
from ascertain.core.documents.ingest import FileCompleteness
from ascertain.core.errors import ModelError, StoreError, UsageError
from ascertain.core.settings import IngestSettings
from ascertain.documents.ingest import files
from ascertain.documents.ingest.pipeline import Ingestor
from ascertain.documents.sources.files import Discovery, Illustrated, discover_files

STORY = " ".join(f"word{n} of the story about a fox" for n in range(60))


def a_document(source: str, text: str = "A fox saw a hen.", **fields: object) -> Document:
    values = {"title": source, "kind": DocumentKind.PROSE, **fields}
    return Document(id=document_id(source), text=text, source=source, **values)  # type: ignore[arg-type]


class Listener:
    def __init__(self) -> None:
        self.total_bytes = 0
        self.bytes_done = 0
        self.chunks = 0
        self.failures: list[str] = []
        self.files: list[tuple[int, int]] = []

    def found(self, total_documents: int | None, total_bytes: int) -> None:
        self.total_bytes = total_bytes

    def report_progress(self, source: str, bytes_done: int, chunks: int) -> None:
        self.bytes_done += bytes_done
        self.chunks += chunks

    def failed(self, source: str, reason: str) -> None:
        self.failures.append(source)

    def count_files(self, done: int, total: int) -> None:
        self.files.append((done, total))


@pytest.fixture
def ingestor(store, embedder) -> Ingestor:
    return Ingestor(store, embedder, IngestSettings(embed_batch=4, write_batch=6))


def record_of(store, source: str | Path) -> DocumentRecord:
    return next(record for record in store.documents() if record.source == str(source))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path.resolve() / "notes"
    folder.mkdir()
    for number in range(5):
        (folder / f"note{number}.txt").write_text(f"Note {number}. The fox number {number} saw a hen.\n")
    return folder


def rows(path: Path, *texts: str) -> Path:
    path.write_text("".join(json.dumps({"title": text, "content": f"{text} is the content."}) + "\n" for text in texts))
    return path


def test_a_folder_is_read_chunked_embedded_and_written(ingestor: Ingestor, store, embedder, folder: Path) -> None:
    listener = Listener()
    report = ingestor.add_paths([folder], profile="docs", tags=["t"], listener=listener)
    assert (report.added, report.changed, report.unchanged, report.chunks) == (5, 0, 0, 5)
    assert report.failures == ()
    assert {record.source for record in store.documents()} == {str(path) for path in folder.iterdir()}
    assert len(embedder.embedded) == 5
    assert (listener.chunks, listener.bytes_done) == (5, listener.total_bytes)
    assert listener.files == [(done, 5) for done in range(6)]
    assert 0 < report.embedding_seconds < report.seconds


def test_unchanged_documents_are_not_embedded_again(ingestor: Ingestor, embedder, folder: Path) -> None:
    ingestor.add_paths([folder], profile="docs")
    embedder.embedded.clear()
    listener = Listener()
    report = ingestor.add_paths([folder], profile="docs", listener=listener)
    assert (report.added, report.unchanged, embedder.embedded) == (0, 5, [])
    assert listener.bytes_done == listener.total_bytes


def test_a_changed_document_replaces_its_old_version(ingestor: Ingestor, store, embedder, folder: Path) -> None:
    ingestor.add_paths([folder], profile="docs")
    embedder.embedded.clear()
    (folder / "note1.txt").write_text("Now it is about owls.\n")
    report = ingestor.add_paths([folder], profile="docs")
    assert (report.added, report.changed, report.unchanged) == (0, 1, 4)
    assert len(embedder.embedded) == 1
    stored = store.document(record_of(store, folder / "note1.txt").id)
    assert "owls" in stored.text


def test_vectors_stand_beside_the_chunks_they_were_made_of(ingestor: Ingestor, store, embedder) -> None:
    documents = [a_document(f"d{n}", "A fox saw a hen. " * (1 + 70 * (n % 4)) + str(n)) for n in range(9)]
    ingestor.add_documents(documents)
    chunks = list(store.iterate_chunks())
    assert len(chunks) > 12
    vectors = store.vectors([chunk.id for chunk in chunks])
    for chunk, vector in zip(chunks, vectors, strict=True):
        np.testing.assert_allclose(vector, embedder.embed_query(chunk.indexed_text), atol=2e-3)


def test_one_bad_file_never_stops_the_run(ingestor: Ingestor, store, folder: Path) -> None:
    (folder / "note2.pdf").write_bytes(b"%PDF-1.4 not really")
    (folder / "empty.txt").write_text("")
    listener = Listener()
    report = ingestor.add_paths([folder], profile="docs", listener=listener)
    assert report.added == 5
    assert sorted(Path(failure.source).name for failure in report.failures) == ["empty.txt", "note2.pdf"]
    assert all(failure.reason for failure in report.failures)
    assert len(listener.failures) == 2
    assert listener.bytes_done == listener.total_bytes
    assert record_of(store, folder / "empty.txt").state is DocumentState.FAILED


def test_a_failure_that_is_over_is_forgotten(ingestor: Ingestor, store, folder: Path) -> None:
    path = rows(folder / "a.jsonl", "One", "Two")
    good = path.read_text()
    path.write_text(good + "{broken\n")
    assert len(ingestor.add_paths([path], profile="news").failures) == 1
    assert store.stats().by_state == {"indexed": 2, "failed": 1}
    path.write_text(good)
    ingestor.add_paths([folder], profile="news")
    assert store.stats().by_state == {"indexed": 7}


def test_many_bad_rows_are_listed_up_to_a_limit(ingestor: Ingestor, tmp_path: Path) -> None:
    path = rows(tmp_path / "a.jsonl", "One")
    path.write_text(path.read_text() + "{broken\n" * 50)
    failures = ingestor.add_paths([path], profile="news").failures
    assert len(failures) == files.LISTED_ROWS + 1
    assert failures[-1].reason == "30 more rows could not be read"


def test_a_document_that_the_model_cannot_take_fails_alone(ingestor: Ingestor, store) -> None:
    report = ingestor.add_documents([a_document("a"), a_document("b", "POISON"), a_document("c")])
    assert report.added == 2
    assert [failure.source for failure in report.failures] == ["b"]
    assert "could not be embedded" in report.failures[0].reason
    assert set(store.known()) == {document_id("a"), document_id("c")}


def test_a_document_without_text_is_a_failure(ingestor: Ingestor) -> None:
    report = ingestor.add_documents([a_document("a", " \n ")])
    assert [failure.reason for failure in report.failures] == ["it contains no text"]


def test_a_model_that_does_not_run_ends_the_ingest(store, embedder, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(texts: object) -> None:
        raise ModelError("the model is gone")

    monkeypatch.setattr(embedder, "embed_documents", fail)
    with pytest.raises(ModelError, match="the model is gone"):
        Ingestor(store, embedder, IngestSettings()).add_documents([a_document("a")])
    assert store.documents() == []


def test_what_was_written_before_a_full_disk_stays(store, embedder, monkeypatch: pytest.MonkeyPatch) -> None:
    write = store.upsert

    def fill_up(documents: object) -> None:
        if len(store.known()) == 2:
            raise StoreError("the disk is full")
        write(documents)

    monkeypatch.setattr(store, "upsert", fill_up)
    ingestor = Ingestor(store, embedder, IngestSettings(write_batch=1))
    with pytest.raises(StoreError, match="full"):
        ingestor.add_documents([a_document(f"d{n}") for n in range(5)])
    assert len(store.known()) == 2


def test_an_interrupted_run_is_continued(store, embedder) -> None:
    def interrupted() -> Iterator[Document]:
        for number in range(5):
            yield a_document(f"d{number}", f"Text {number}.")
        raise KeyboardInterrupt

    ingestor = Ingestor(store, embedder, IngestSettings(write_batch=2))
    with pytest.raises(KeyboardInterrupt):
        ingestor.add_documents(interrupted())
    assert len(store.known()) == 4
    report = ingestor.add_documents([a_document(f"d{number}", f"Text {number}.") for number in range(5)])
    assert (report.added, report.unchanged) == (1, 4)


class Kills:
    """An embedding model whose process is killed at a certain call."""

    name, dimension = "kills", 8

    def __init__(self, at_call: int) -> None:
        self.calls_left = at_call
        self.texts = 0

    def embed_documents(self, texts: Sequence[str]) -> np.ndarray:
        self.calls_left -= 1
        if not self.calls_left:
            raise KeyboardInterrupt
        self.texts += len(texts)
        time.sleep(0.01)
        return np.full((len(texts), self.dimension), 0.5, np.float32)


def test_a_run_that_is_killed_before_a_batch_is_full_is_gone_on_with(store) -> None:
    documents = [a_document(f"d{number}", f"Text {number}.") for number in range(60)]
    slow = Kills(at_call=4)
    with pytest.raises(KeyboardInterrupt):
        Ingestor(store, slow, IngestSettings(embed_batch=8, write_batch=256)).add_documents(documents)
    assert len(store.known()) >= 8
    again = Kills(at_call=0)
    report = Ingestor(store, again, IngestSettings(embed_batch=8, write_batch=256)).add_documents(documents)
    assert (report.added, report.unchanged) == (again.texts, 60 - again.texts)
    assert again.texts <= 52


def test_what_waits_is_written_after_seconds_however_little_it_is(store, embedder, monkeypatch) -> None:
    """A parser may take minutes for what fills a batch."""
    monkeypatch.setattr("ascertain.documents.ingest.pipeline._WRITE_SECONDS", 0.05)
    written: list[int] = []

    def slowly() -> Iterator[Document]:
        for number in range(4):
            time.sleep(0.1)
            written.append(len(store.known()))
            yield a_document(f"d{number}", f"Text {number}.")

    Ingestor(store, embedder, IngestSettings()).add_documents(slowly())
    assert 0 < written[-1] < 4


def test_a_quick_model_gets_full_batches(store, embedder, monkeypatch) -> None:
    sizes: list[int] = []
    write = store.upsert
    monkeypatch.setattr(store, "upsert", lambda documents: (sizes.append(len(documents)), write(documents)))
    documents = [a_document(f"d{number}", f"Text {number}.") for number in range(104)]
    Ingestor(store, embedder, IngestSettings(embed_batch=4, write_batch=50)).add_documents(documents)
    assert sizes == [4, 50, 50]


def test_the_last_of_two_documents_with_one_id_wins(ingestor: Ingestor, store) -> None:
    report = ingestor.add_documents([a_document("a", "First."), a_document("b"), a_document("a", "Second.")])
    assert report.added == 2
    assert store.document(document_id("a")).text == "Second."
    assert len(report.notes) == 1
    report = ingestor.add_documents([a_document("a", "Third."), a_document("a", "Second.")])
    assert store.document(document_id("a")).text == "Second."


def test_a_path_that_does_not_exist_is_a_usage_error(ingestor: Ingestor, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="nowhere"):
        ingestor.add_paths([tmp_path / "nowhere"], profile="docs", sync=True)


def test_documents_of_two_tenants_are_known_apart(ingestor: Ingestor, embedder) -> None:
    documents = [a_document("a"), Document("x", "Text.", "x", DocumentKind.PROSE, "x", tenant="other")]
    ingestor.add_documents(documents)
    embedder.embedded.clear()
    assert ingestor.add_documents(documents).unchanged == 2
    assert embedder.embedded == []


class TestFilesThatMove:
    def test_a_file_that_changes_while_it_is_read_is_a_failure(
        self, ingestor: Ingestor, store, folder: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        original = files.read_illustrated

        def read_and_change(path: Path, options: object) -> Iterator[Illustrated]:
            yield from original(path, options)  # type: ignore[arg-type]
            if path.name == "note3.txt":
                path.write_text("Something else, and longer than it was before.")
            if path.name == "note4.txt":
                path.unlink()

        monkeypatch.setattr(files, "read_illustrated", read_and_change)
        report = ingestor.add_paths([folder], profile="docs", sync=True)
        assert report.added == 3
        assert {Path(failure.source).name: failure.reason for failure in report.failures} == {
            "note3.txt": "changed while it was being read; add it again",
            "note4.txt": "disappeared while it was being read",
        }

    def test_a_parser_that_breaks_is_a_failure(
        self, ingestor: Ingestor, folder: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def break_down(path: Path, options: object) -> Iterator[Illustrated]:
            raise MemoryError if path.name == "note0.txt" else RecursionError("too deep")
            yield

        monkeypatch.setattr(files, "read_illustrated", break_down)
        failures = ingestor.add_paths([folder], profile="docs").failures
        assert len(failures) == 5
        assert failures[0].reason == "does not fit into memory"
        assert "too deep" in failures[1].reason


class TestSync:
    def test_deletes_documents_whose_files_are_gone(self, ingestor: Ingestor, store, folder: Path) -> None:
        ingestor.add_paths([folder], profile="docs")
        (folder / "note1.txt").unlink()
        assert ingestor.add_paths([folder], profile="docs").deleted == 0
        assert ingestor.add_paths([folder], profile="docs", sync=True).deleted == 1
        assert len(store.documents()) == 4

    def test_deletes_nothing_where_most_files_are_gone_unless_that_is_allowed(
        self, ingestor: Ingestor, store, folder: Path, embedder
    ) -> None:
        ingestor.add_paths([folder], profile="docs")
        for path in folder.iterdir():
            path.unlink()
        report = ingestor.add_paths([folder], profile="docs", sync=True)
        assert report.deleted == 0
        assert len(store.documents()) == 5
        assert "nothing was deleted: the files of 5 of 5 documents are gone" in report.notes[0]
        allowed = Ingestor(store, embedder, IngestSettings(sync_share=1))
        assert allowed.add_paths([folder], profile="docs", sync=True).deleted == 5

    def test_deletes_rows_that_are_gone(self, ingestor: Ingestor, store, tmp_path: Path) -> None:
        path = rows(tmp_path / "a.jsonl", "One", "Two", "Three")
        ingestor.add_paths([path], profile="news")
        rows(path, "One", "Two")
        assert ingestor.add_paths([path], profile="news", sync=True).deleted == 1
        assert len(store.documents()) == 2

    def test_leaves_what_lies_elsewhere(self, ingestor: Ingestor, store, folder: Path) -> None:
        other = folder.parent / "notes-other"
        other.mkdir()
        (other / "a.txt").write_text("Elsewhere a fox saw a hen.")
        ingestor.add_paths([folder, other], profile="docs")
        ingestor.add_documents([a_document("made")])
        (other / "a.txt").unlink()
        assert ingestor.add_paths([folder], profile="docs", sync=True).deleted == 0
        assert len(store.documents()) == 7

    def test_keeps_what_could_not_be_read(self, ingestor: Ingestor, store, folder: Path) -> None:
        path = rows(folder / "a.jsonl", "One", "Two")
        ingestor.add_paths([folder], profile="docs")
        path.write_text("")
        report = ingestor.add_paths([folder], profile="docs", sync=True)
        assert report.deleted == 0
        assert len(report.failures) == 1
        assert {record.source for record in store.documents()} >= {f"{path}#1", f"{path}#2"}

    def test_keeps_what_cannot_be_looked_at_and_reports_it(
        self, ingestor: Ingestor, store, folder: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        ingestor.add_paths([folder], profile="docs")
        locked = folder / "note2.txt"
        (folder / "picture.xyz").write_text("of a fox")
        found = discover_files([folder])
        kept = tuple(path for path in found.files if path != locked)
        without = Discovery(kept, (*found.skipped, (locked, "no permission to read it")))
        monkeypatch.setattr(files, "discover_files", lambda paths, describes, follow_links: without)
        report = ingestor.add_paths([folder], profile="docs", sync=True)
        assert report.deleted == 0
        assert [(failure.source, failure.reason) for failure in report.failures] == [
            (str(locked), "no permission to read it")
        ]
        assert report.notes == ("files of other formats skipped: 1 (1 .xyz)",)

    def test_says_of_which_formats_files_were_passed_over(self, ingestor: Ingestor, folder: Path) -> None:
        for name in ("a.xyz", "b.XYZ", "c.psd", "plain"):
            (folder / name).write_bytes(b"\0")
        report = ingestor.add_paths([folder], profile="docs")
        assert report.notes == ("files of other formats skipped: 4 (2 .xyz, 1 .psd, 1 without a suffix)",)
        assert report.skipped == {".xyz": 2, ".psd": 1, "": 1}


class TestDuplicates:
    def test_a_story_told_again_is_linked_to_the_first(self, ingestor: Ingestor, store) -> None:
        again = STORY.replace("word7 ", "changed ")
        report = ingestor.add_documents([a_document("a", STORY), a_document("b", again), a_document("c", STORY)])
        assert report.duplicates == 2
        assert record_of(store, "a").state is DocumentState.INDEXED
        b, c = record_of(store, "b"), record_of(store, "c")
        assert (b.state, b.duplicate_of) == (DocumentState.DUPLICATE, document_id("a"))
        assert b.reason.startswith("near-duplicate of a (similarity 0.9")
        assert (c.reason, c.duplicate_of) == ("same text as a", document_id("a"))

    def test_it_is_found_in_a_later_run_too(self, ingestor: Ingestor, store) -> None:
        ingestor.add_documents([a_document("a", STORY)])
        ingestor.add_documents([a_document("b", STORY)])
        ingestor.add_documents([a_document("c", STORY)])
        assert record_of(store, "c").duplicate_of == document_id("a")

    def test_the_first_is_not_linked_to_its_duplicates_when_it_changes(self, ingestor: Ingestor, store) -> None:
        ingestor.add_documents([a_document("a", STORY), a_document("b", STORY)])
        ingestor.add_documents([a_document("a", STORY.replace("word7 ", "new "))])
        assert record_of(store, "a").duplicate_of is None
        assert record_of(store, "b").duplicate_of == document_id("a")

    def test_a_duplicate_is_freed_when_the_first_becomes_another_story(
        self, ingestor: Ingestor, store, embedder
    ) -> None:
        ingestor.add_documents([a_document("a", STORY), a_document("b", STORY)])
        embedder.embedded.clear()
        ingestor.add_documents([a_document("a", "It is something else now.")])
        record = record_of(store, "b")
        assert (record.state, record.duplicate_of, record.reason) == (DocumentState.INDEXED, None, "")
        assert len(embedder.embedded) == 1

    def test_its_duplicates_do_not_hold_each_other_to_it_then(self, ingestor: Ingestor, store) -> None:
        ingestor.add_documents([a_document(name, STORY) for name in ("a", "b", "c")])
        ingestor.add_documents([a_document("a", "It is something else now.")])
        assert record_of(store, "b").duplicate_of is None
        assert record_of(store, "c").duplicate_of == document_id("b")

    @pytest.mark.parametrize(
        ("text", "fields"),
        [
            ("Short notice of the house.", {}),
            (STORY, {"conversation_id": "c"}),
            (STORY.replace("word7 ", "changed "), {"kind": DocumentKind.PAPER}),
        ],
        ids=["short", "another conversation", "a revision of a paper"],
    )
    def test_what_is_never_linked(self, ingestor: Ingestor, store, text: str, fields: dict[str, object]) -> None:
        kind = fields.get("kind", DocumentKind.PROSE)
        first = a_document("a", STORY if len(text) > 100 else text, kind=kind)
        ingestor.add_documents([first, a_document("b", text, **fields)])
        assert record_of(store, "b").duplicate_of is None


class TestVersions:
    """Of texts that are nearly the same the one in force is the original, whichever was read first."""

    def test_a_text_that_says_it_is_superseded_is_the_duplicate(self, ingestor: Ingestor, store) -> None:
        old = f"Historical version of the rules\n\nSuperseded by version 2.\n\n{STORY}"
        new = f"Rules, version 2\n\n{STORY.replace('word7 ', 'changed ')}"
        ingestor.add_documents(
            [a_document("a-old", old), a_document("b-older", f"{old} more"), a_document("c-new", new)]
        )
        assert record_of(store, "c-new").state is DocumentState.INDEXED
        for name in ("a-old", "b-older"):
            record = record_of(store, name)
            assert (record.state, record.duplicate_of) == (DocumentState.DUPLICATE, document_id("c-new"))
            assert record.reason.startswith("near-duplicate of c-new")

    def test_it_is_so_when_the_version_in_force_comes_in_a_later_run(self, ingestor: Ingestor, store) -> None:
        ingestor.add_documents([a_document("archive/rules", f"Status: superseded\n\n{STORY}")])
        ingestor.add_documents([a_document("rules", STORY)])
        assert record_of(store, "rules").duplicate_of is None
        assert record_of(store, "archive/rules").duplicate_of == document_id("rules")

    def test_of_two_that_say_nothing_the_later_date_holds(self, ingestor: Ingestor, store) -> None:
        days = [datetime(2024, month, 1, tzinfo=UTC) for month in (3, 6)]
        ingestor.add_documents(
            [a_document("a", STORY, published_at=days[0]), a_document("b", f"{STORY} x", published_at=days[1])]
        )
        assert record_of(store, "a").duplicate_of == document_id("b")

    def test_the_name_of_a_file_says_nothing(self, ingestor: Ingestor, store) -> None:
        ingestor.add_documents([a_document("archive/a", STORY), a_document("b", f"{STORY} x")])
        assert record_of(store, "archive/a").duplicate_of is None

    def test_of_articles_the_first_to_tell_it_stays(self, ingestor: Ingestor, store) -> None:
        days = [datetime(2024, month, 1, tzinfo=UTC) for month in (3, 6)]
        ingestor.add_documents(
            [
                a_document("a", STORY, kind=DocumentKind.ARTICLE, published_at=days[0]),
                a_document("b", f"{STORY} x", kind=DocumentKind.ARTICLE, published_at=days[1]),
            ]
        )
        assert record_of(store, "b").duplicate_of == document_id("a")


def test_the_report_says_how_completely_each_document_was_read(ingestor: Ingestor) -> None:
    reading = Completeness(8, (LeftOut("form fields", 2, 2),))
    report = ingestor.add_documents(
        [a_document("form.pdf", "Eight words", completeness=reading), a_document("b", "Hens.")]
    )
    assert report.completeness == (FileCompleteness("form.pdf", reading),)
    assert not report.completeness[0].completeness.is_complete
