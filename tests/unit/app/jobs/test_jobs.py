"""Background jobs in one process, over the real store of an embedded home."""

from __future__ import annotations

import io
import json
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from bombs import one_page_many_times
from small_knowledge import WordHashes, opened

from ascertain import Ascertain, Filter
from ascertain.app.adding.uploads import add_uploads, forget_orphans, keep_upload, originals_of, uploads_of
from ascertain.app.container.container import Container
from ascertain.app.jobs import work
from ascertain.app.jobs.runner import JobRunner
from ascertain.app.jobs.work import JobProgress
from ascertain.core.documents.documents import DocumentState
from ascertain.core.errors import ConfigurationError, JobNotFailed, StoreBusy, StoreError, UsageError
from ascertain.core.service.service import Job, JobState
from ascertain.core.settings import IngestSettings, ReadingSettings
from ascertain.documents.reading.pool import READERS

SECONDS = 120.0


def text(about: str) -> list[bytes]:
    return [f"The {about} is described here ".encode(), b"in one sentence."]


def until(happened: Callable[[], bool]) -> None:
    deadline = time.monotonic() + SECONDS
    while not happened():
        assert time.monotonic() < deadline, "it never happened"
        time.sleep(0.01)


def ended(knowledge: Ascertain, job: Job) -> Job:
    def current() -> Job:
        found = knowledge.service.jobs.get(job.id, knowledge.tenant)
        assert found is not None
        return found

    until(lambda: current().state.is_ended)
    return current()


def sources(knowledge: Ascertain, **filter) -> list[str]:
    return [record.source for record in knowledge.documents(Filter(**filter))]


def names(knowledge: Ascertain) -> list[str]:
    return sorted(file.name for file in knowledge.service.files.files(knowledge.tenant))


class Slow(WordHashes):
    """An embedding model that waits at a gate."""

    def __init__(self) -> None:
        super().__init__()
        self.gate = threading.Event()
        self.began = threading.Event()

    def embed_documents(self, texts):
        self.began.set()
        assert self.gate.wait(SECONDS)
        return super().embed_documents(texts)


@pytest.fixture(autouse=True)
def short_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(work, "_PAUSE_SECONDS", 0.0)
    monkeypatch.setattr(work, "_FIRST_WAIT_SECONDS", 0.01)
    monkeypatch.setattr(work, "_LONGEST_WAIT_SECONDS", 0.05)


@pytest.fixture
def knowledge(tmp_path: Path) -> Iterator[Ascertain]:
    with opened(tmp_path / "kb") as knowledge:
        yield knowledge


@pytest.fixture
def runner(knowledge: Ascertain) -> Iterator[JobRunner]:
    runner = JobRunner(knowledge.access)
    runner.start(1)
    yield runner
    assert runner.stop(SECONDS)


def test_an_upload_to_an_empty_home_is_added(knowledge: Ascertain, runner: JobRunner) -> None:
    assert not knowledge.exists
    job = knowledge.jobs.submit_files([("notes/bridge.txt", text("bridge"))], profile="news", tags=["a", "b", "a"])
    assert (job.state, job.done, job.total, job.what) == (JobState.QUEUED, 0, 45, "notes/bridge.txt")
    done = ended(knowledge, job)
    assert (done.state, done.done, done.reason) == (JobState.FINISHED, 45, "")
    assert done.report["added"] == 1
    record = knowledge.documents()[0]
    assert (record.source, record.profile, record.tags) == ("upload:notes/bridge.txt", "news", ("a", "b"))
    assert record.title == "Bridge"
    assert names(knowledge) == ["notes/bridge.txt"]


def test_what_was_accepted_is_on_disk_before_anybody_works_on_it(tmp_path: Path) -> None:
    with opened(tmp_path / "kb") as knowledge:
        job = knowledge.jobs.submit_files([("a.txt", text("bridge")), ("b.txt", text("tram"))])
    with opened(tmp_path / "kb") as later:
        found = later.service.jobs.get(job.id)
        assert found is not None
        assert (found.state, found.work, found.total) == (JobState.QUEUED, job.work, job.total)
        assert names(later) == ["a.txt", "b.txt"]
        runner = JobRunner(later.access)
        runner.start(1)
        assert ended(later, job).state is JobState.FINISHED
        assert runner.stop(SECONDS)
        assert len(later.documents()) == 2


def test_one_bad_file_stops_no_other(knowledge: Ascertain, runner: JobRunner) -> None:
    job = knowledge.jobs.submit_files(
        [
            ("good.txt", text("bridge")),
            ("broken.pdf", [b"%PDF-1.4 cut off"]),
            ("empty.txt", []),
            ("picture.png", [b"\x89PNG\r\n\x1a\n"]),
            ("rows.jsonl", [b'{"title": "One", "content": "The first row."}\nnot json\n']),
        ]
    )
    done = ended(knowledge, job)
    assert done.state is JobState.FINISHED
    assert done.report["added"] == 2
    reasons = {failure["source"]: failure["reason"] for failure in done.report["failures"]}
    assert set(reasons) == {"upload:broken.pdf", "upload:empty.txt", "upload:picture.png", "upload:rows.jsonl#2"}
    assert "the file is empty" in reasons["upload:empty.txt"]
    assert "the picture is damaged" in reasons["upload:picture.png"]
    assert str(knowledge.settings.home) not in json.dumps(dict(done.report))
    states = {record.source: record.state for record in knowledge.documents()}
    assert states["upload:broken.pdf"] is DocumentState.FAILED
    # of what gave no document the file is not kept either; the job has ended a moment before
    until(lambda: names(knowledge) == ["good.txt", "rows.jsonl"])


def test_a_job_of_which_nothing_was_added_has_failed(knowledge: Ascertain, runner: JobRunner) -> None:
    done = ended(knowledge, knowledge.jobs.submit_files([("broken.pdf", [b"%PDF-1.4 cut off"])]))
    assert done.state is JobState.FAILED
    assert done.reason.startswith("nothing could be added: upload:broken.pdf: damaged or cut off")
    assert names(knowledge) == ["broken.pdf"]
    assert knowledge.jobs.cancel(done.id)
    assert names(knowledge) == []


def test_a_file_of_the_same_name_takes_the_place_of_the_first(knowledge: Ascertain, runner: JobRunner) -> None:
    rows = [json.dumps({"title": f"Row {n}", "content": f"This is row number {n}."}) for n in range(3)]
    ended(knowledge, knowledge.jobs.submit_files([("t.jsonl", ["\n".join(rows).encode()]), ("n.txt", text("bridge"))]))
    assert len(knowledge.documents()) == 4
    done = ended(knowledge, knowledge.jobs.submit_files([("t.jsonl", [rows[0].encode()]), ("n.txt", text("tram"))]))
    assert (done.report["changed"], done.report["unchanged"], done.report["deleted"]) == (1, 1, 2)
    assert sources(knowledge) == ["upload:n.txt", "upload:t.jsonl#1"]
    assert "tram" in knowledge.search("tram").passages[0].chunk.text
    assert names(knowledge) == ["n.txt", "t.jsonl"]


def test_a_bad_file_of_the_same_name_leaves_the_first_as_it_is(knowledge: Ascertain, runner: JobRunner) -> None:
    ended(knowledge, knowledge.jobs.submit_files([("n.txt", text("bridge"))]))
    first = knowledge.service.files.files()
    bad = ended(knowledge, knowledge.jobs.submit_files([("n.txt", [b"\0\1\2" * 100])]))
    assert "bridge" in knowledge.search("bridge").passages[0].chunk.text
    assert names(knowledge) == ["n.txt", "n.txt"]
    document = knowledge.document(knowledge.documents()[0].id)
    assert document is not None
    assert originals_of(knowledge.service.files, document)[0] == first[0]
    # one that is read by and by takes no notice of it
    after = ended(knowledge, knowledge.jobs.submit_files([("n.txt", [b"\0\1\2" * 100]), ("m.txt", text("ferry"))]))
    assert after.state is JobState.FINISHED
    assert knowledge.jobs.cancel(bad.id)
    assert {file.id for file in knowledge.service.files.files()} >= {first[0].id}
    # a job has ended a moment before what it could not read is let go of
    until(lambda: names(knowledge) == ["m.txt", "n.txt"])


def test_a_file_and_a_folder_of_one_name_are_two(knowledge: Ascertain, runner: JobRunner) -> None:
    ended(
        knowledge,
        knowledge.jobs.submit_files([("a/b.txt", text("bridge")), ("a#1/b.txt", text("ferry")), ("a#b", text("boat"))]),
    )
    ended(knowledge, knowledge.jobs.submit_files([("a", text("tram"))]))
    ended(knowledge, knowledge.jobs.submit_files([("a", text("train"))]))
    assert sources(knowledge) == ["upload:a", "upload:a#1/b.txt", "upload:a#b", "upload:a/b.txt"]
    knowledge.delete(Filter(document_ids=(knowledge.documents()[0].id,)))
    assert names(knowledge) == ["a#1/b.txt", "a#b", "a/b.txt"]


def test_of_uploads_that_overtake_each_other_the_last_one_stands(tmp_path: Path) -> None:
    embedder = Slow()
    with opened(tmp_path / "kb", embedder) as knowledge:
        first = knowledge.jobs.submit_files([("n.txt", text("bridge"))])
        slow, quick = JobRunner(knowledge.access), JobRunner(knowledge.access)
        slow.start(1)
        assert embedder.began.wait(SECONDS)
        second = knowledge.jobs.submit_files([("n.txt", text("tram"))])
        quick.start(1)
        until(lambda: _state(knowledge, second) is JobState.RUNNING)
        embedder.gate.set()
        assert ended(knowledge, first).state is JobState.FINISHED
        assert ended(knowledge, second).state is JobState.FINISHED
        assert slow.stop(SECONDS)
        assert quick.stop(SECONDS)
        document = knowledge.document(knowledge.documents()[0].id)
        assert document is not None
        assert "tram" in document.text
        assert len(names(knowledge)) == 1


def test_an_upload_that_waited_longer_than_a_later_one_is_passed_over(knowledge: Ascertain) -> None:
    first = knowledge.jobs.submit_files([("n.txt", text("bridge"))])
    second = knowledge.jobs.submit_files([("n.txt", text("tram"))])
    runner = JobRunner(knowledge.access)
    runner.start(1)
    notes = ended(knowledge, first).report["notes"]
    assert notes == ["upload:n.txt: replaced by a later upload with the same name"]
    assert ended(knowledge, second).report["added"] == 1
    assert runner.stop(SECONDS)


def _state(knowledge: Ascertain, job: Job) -> JobState:
    found = knowledge.service.jobs.get(job.id, knowledge.tenant)
    assert found is not None
    return found.state


def test_files_go_with_their_last_document(knowledge: Ascertain, runner: JobRunner) -> None:
    rows = [json.dumps({"title": f"Row {n}", "content": f"This is row number {n}."}) for n in range(2)]
    ended(knowledge, knowledge.jobs.submit_files([("t.jsonl", ["\n".join(rows).encode()]), ("n.txt", text("bridge"))]))
    first, *_ = (record.id for record in knowledge.documents() if record.source == "upload:t.jsonl#1")
    knowledge.delete(Filter(document_ids=(first,)))
    assert names(knowledge) == ["n.txt", "t.jsonl"]
    knowledge.delete(Filter(sources=("upload:t.jsonl",)))
    assert names(knowledge) == ["n.txt"]
    knowledge.delete(Filter())
    assert names(knowledge) == []


def test_deleting_a_document_keeps_what_was_uploaded_to_replace_it(knowledge: Ascertain) -> None:
    runner = JobRunner(knowledge.access)
    runner.start(1)
    ended(knowledge, knowledge.jobs.submit_files([("n.txt", text("bridge"))]))
    assert runner.stop(SECONDS)
    job = knowledge.jobs.submit_files([("n.txt", text("tram"))])
    knowledge.delete(Filter())
    assert names(knowledge) == ["n.txt"]
    runner.start(1)
    assert ended(knowledge, job).report["added"] == 1
    assert runner.stop(SECONDS)


def test_uploads_for_a_conversation_are_its_own_and_go_with_it(knowledge: Ascertain, runner: JobRunner) -> None:
    for conversation in (None, "c1", "c2"):
        ended(knowledge, knowledge.jobs.submit_files([("n.txt", text("bridge"))], conversation_id=conversation))
    assert sources(knowledge, conversation_id="c1") == ["upload:n.txt"]
    assert len(names(knowledge)) == 3
    knowledge.delete_conversation("c1")
    assert len(knowledge.documents()) == len(names(knowledge)) == 2


def test_tenants_upload_the_same_name_without_knowing_of_each_other(knowledge: Ascertain, runner: JobRunner) -> None:
    acme = knowledge.as_tenant("acme")
    mine = ended(knowledge, knowledge.jobs.submit_files([("n.txt", text("bridge"))]))
    theirs = ended(acme, acme.jobs.submit_files([("n.txt", text("ferry"))]))
    assert mine.report["added"] == theirs.report["added"] == 1
    assert (len(knowledge.documents()), len(acme.documents())) == (1, 1)
    assert "ferry" in acme.search("ferry").passages[0].chunk.text
    assert knowledge.service.jobs.get(theirs.id, "default") is None
    assert not knowledge.jobs.cancel(theirs.id)
    knowledge.delete(Filter())
    assert (names(knowledge), names(acme)) == ([], ["n.txt"])


def test_a_hundred_small_files_are_one_job(knowledge: Ascertain, runner: JobRunner) -> None:
    files = [(f"note{number:03}.txt", text(f"bridge number {number}")) for number in range(100)]
    job = knowledge.jobs.submit_files(files)
    assert job.what == "note000.txt, note001.txt and 98 more"
    done = ended(knowledge, job)
    assert done.report["added"] == 100
    assert done.done == done.total
    assert len(knowledge.documents()) == len(names(knowledge)) == 100


def test_progress_only_grows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[tuple[int, int]] = []
    with opened(tmp_path / "kb", ingest=IngestSettings(write_batch=1)) as knowledge:
        note = knowledge.service.jobs.progress if knowledge.exists else None
        assert note is None
        knowledge.set_up()
        monkeypatch.setattr("ascertain.app.jobs.work._EVERY_SECONDS", 0.0)
        tell = JobProgress.tell

        def heard(self: JobProgress) -> None:
            told.append((self._before + self._within, self._job.total))
            tell(self)

        monkeypatch.setattr(JobProgress, "tell", heard)
        runner = JobRunner(knowledge.access)
        runner.start(1)
        job = knowledge.jobs.submit_files([(f"{n}.txt", text(f"bridge {n}") * 50) for n in range(40)])
        ended(knowledge, job)
        assert runner.stop(SECONDS)
    done = [number for number, _ in told]
    assert done == sorted(done)
    assert {total for _, total in told} == {job.total}
    assert done[-1] == job.total
    assert len(set(done)) > 20


def test_a_cancelled_job_ends_between_documents(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ascertain.app.jobs.work._EVERY_SECONDS", 0.0)
    embedder = Slow()
    with opened(tmp_path / "kb", embedder, ingest=IngestSettings(write_batch=1)) as knowledge:
        job = knowledge.jobs.submit_files([(f"{n}.txt", text(f"bridge {n}")) for n in range(10)])
        runner = JobRunner(knowledge.access)
        runner.start(1)
        assert embedder.began.wait(SECONDS)
        assert knowledge.jobs.cancel(job.id)
        embedder.gate.set()
        assert ended(knowledge, job).state is JobState.CANCELLED
        until(lambda: len(knowledge.documents()) == 1)
        after = knowledge.jobs.submit_files([("after.txt", text("tram"))])
        assert ended(knowledge, after).state is JobState.FINISHED
        assert sources(knowledge) == ["upload:0.txt", "upload:after.txt"]
        until(lambda: names(knowledge) == ["0.txt", "after.txt"])
        assert runner.stop(SECONDS)
    assert not knowledge.jobs.cancel(job.id)


class Ponderous(WordHashes):
    """Takes a tenth of a second for every text."""

    def __init__(self) -> None:
        super().__init__()
        self.began = threading.Event()
        self.count = 0

    def embed_documents(self, texts):
        self.began.set()
        self.count += len(texts)
        time.sleep(0.1 * len(texts))
        return super().embed_documents(texts)


def test_cancelling_a_job_ends_the_embedding_of_a_long_document(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A book of megabytes would hold up the tenant's other uploads for an hour after it was cancelled."""
    monkeypatch.setattr("ascertain.app.jobs.work._EVERY_SECONDS", 0.0)
    monkeypatch.setattr("ascertain.documents.ingest.pipeline._WRITE_SECONDS", 0.5)
    embedder = Ponderous()
    with opened(tmp_path / "kb", embedder, ingest=IngestSettings(embed_batch=1)) as knowledge:
        book = "\n\n".join(f"Chapter {n}. The bridge number {n} was built by hand. " * 30 for n in range(400))
        job = knowledge.jobs.submit_files([("book.txt", [book.encode()])])
        runner = JobRunner(knowledge.access)
        runner.start(1)
        assert embedder.began.wait(SECONDS)
        assert knowledge.jobs.cancel(job.id)
        after = knowledge.jobs.submit_files([("after.txt", text("tram"))])
        assert ended(knowledge, after).state is JobState.FINISHED
        assert embedder.count < 60
        assert ended(knowledge, job).state is JobState.CANCELLED
        assert sources(knowledge) == ["upload:after.txt"]
        until(lambda: names(knowledge) == ["after.txt"])
        assert runner.stop(SECONDS)


def test_a_job_that_is_cancelled_while_it_waits_leaves_nothing(knowledge: Ascertain) -> None:
    job = knowledge.jobs.submit_files([("n.txt", text("bridge"))])
    assert knowledge.jobs.cancel(job.id)
    assert names(knowledge) == []
    assert not knowledge.jobs.cancel(job.id)
    assert not knowledge.jobs.cancel("unknown")


def test_a_stopped_runner_hands_its_job_back(tmp_path: Path) -> None:
    embedder = Slow()
    with opened(tmp_path / "kb", embedder, ingest=IngestSettings(write_batch=1)) as knowledge:
        job = knowledge.jobs.submit_files([(f"{n}.txt", text(f"bridge {n}")) for n in range(10)])
        runner = JobRunner(knowledge.access)
        runner.start(1)
        assert embedder.began.wait(SECONDS)
        assert not runner.stop(0.0)
        assert _state(knowledge, job) is JobState.RUNNING
        embedder.gate.set()
        assert runner.stop(SECONDS)
        waiting = knowledge.service.jobs.get(job.id)
        assert waiting is not None
        assert (waiting.state, waiting.attempts) == (JobState.QUEUED, 0)
        assert 0 < len(knowledge.documents()) < 10
        runner.start(1)
        done = ended(knowledge, job)
        assert (done.report["added"], done.report["unchanged"]) == (9, 1)
        assert runner.stop(SECONDS)


def test_waits_while_another_process_is_writing(
    knowledge: Ascertain, runner: JobRunner, monkeypatch: pytest.MonkeyPatch
) -> None:
    busy = [StoreBusy("another process is writing")] * 20
    monkeypatch.setattr(work, "add_uploads", failing(busy, add_uploads))
    done = ended(knowledge, knowledge.jobs.submit_files([("n.txt", text("bridge"))]))
    assert (done.state, done.report["added"], done.attempts) == (JobState.FINISHED, 1, 1)
    assert busy == []


def test_a_store_that_is_away_for_a_moment_fails_nothing(
    knowledge: Ascertain, runner: JobRunner, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(work, "add_uploads", failing([StoreError("the server is away")] * 3, add_uploads))
    done = ended(knowledge, knowledge.jobs.submit_files([("n.txt", text("bridge"))]))
    assert (done.state, done.report["added"]) == (JobState.FINISHED, 1)


def test_a_store_that_stays_away_fails_the_job_with_the_reason(
    knowledge: Ascertain, runner: JobRunner, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as broken:
        broken.setattr(work, "add_uploads", failing([StoreError("no space left")] * 100, add_uploads))
        job = knowledge.jobs.submit_files([("n.txt", text("bridge"))])
        done = ended(knowledge, job)
    assert (done.state, done.reason) == (JobState.FAILED, "no space left")
    assert names(knowledge) == ["n.txt"]
    knowledge.jobs.retry(job.id)
    done = ended(knowledge, job)
    assert (done.state, done.reason, done.report["added"]) == (JobState.FINISHED, "", 1)
    assert names(knowledge) == ["n.txt"]


def failing(errors: list, then: Callable[..., object]) -> Callable[..., object]:
    def work(*arguments, **named):
        if errors:
            raise errors.pop()
        return then(*arguments, **named)

    return work


def test_an_error_nobody_foresaw_stops_no_other_job(
    knowledge: Ascertain, runner: JobRunner, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(work, "add_uploads", failing([RuntimeError("a bug")], add_uploads))
    broken = ended(knowledge, knowledge.jobs.submit_files([("a.txt", text("bridge"))]))
    assert broken.state is JobState.FAILED
    assert broken.reason == "failed: unexpected RuntimeError; see the service's log"
    assert ended(knowledge, knowledge.jobs.submit_files([("b.txt", text("tram"))])).state is JobState.FINISHED
    assert "a bug" in caplog.text


def claim_and_die(knowledge: Ascertain, job: Job, *, has_begun: bool, is_read: bool = False) -> int:
    """A process that takes the job and is killed, before a file was read or after; how often the work had been begun before."""
    with opened(knowledge.settings.home) as killed:
        claimed = killed.service.jobs.claim(job.created_at)
        assert claimed is not None
        if has_begun:
            killed.service.jobs.begin(claimed.id, job.created_at)
        if is_read:
            killed.service.jobs.progress(claimed.id, 1, job.total, job.created_at)
        return claimed.attempts


def test_a_job_that_kills_its_process_again_and_again_is_given_up_and_can_be_run_again(knowledge: Ascertain) -> None:
    job = knowledge.jobs.submit_files([("n.txt", text("bridge"))])
    assert [claim_and_die(knowledge, job, has_begun=True, is_read=True) for _ in range(2)] == [0, 1]
    runner = JobRunner(knowledge.access)
    runner.start(1)
    done = ended(knowledge, job)
    assert (done.state, done.attempts) == (JobState.FAILED, 2)
    assert "given up" in done.reason
    assert names(knowledge) == ["n.txt"]
    again = knowledge.jobs.retry(job.id)
    assert again is not None
    assert (again.state, again.reason, again.attempts) == (JobState.QUEUED, "", 0)
    assert ended(knowledge, job).report["added"] == 1
    assert runner.stop(SECONDS)


@pytest.mark.parametrize(("kills", "state"), [(3, JobState.FINISHED), (4, JobState.FAILED)])
def test_kills_while_another_process_reads_the_files_are_held_against_them_later(
    kills: int, state: JobState, knowledge: Ascertain
) -> None:
    job = knowledge.jobs.submit_files([("n.txt", text("bridge"))])
    for _ in range(kills):
        claim_and_die(knowledge, job, has_begun=True)
    runner = JobRunner(knowledge.access)
    runner.start(1)
    assert ended(knowledge, job).state is state
    assert runner.stop(SECONDS)


def test_it_is_on_record_that_a_file_is_read_before_anything_is_done_with_it(tmp_path: Path) -> None:
    model = Slow()
    with opened(tmp_path / "kb", model) as knowledge:
        job = knowledge.jobs.submit_files([("n.txt", text("bridge"))])
        runner = JobRunner(knowledge.access)
        runner.start(1)
        assert model.began.wait(SECONDS)
        assert knowledge.service.jobs.jobs()[0].done == 1
        model.gate.set()
        assert ended(knowledge, job).done == job.total
        assert runner.stop(SECONDS)


def test_kills_before_the_work_began_lose_no_job(knowledge: Ascertain) -> None:
    job = knowledge.jobs.submit_files([("n.txt", text("bridge"))])
    for _ in range(10):
        assert claim_and_die(knowledge, job, has_begun=False) == 0
    runner = JobRunner(knowledge.access)
    runner.start(1)
    done = ended(knowledge, job)
    assert (done.state, done.attempts) == (JobState.FINISHED, 1)
    assert runner.stop(SECONDS)


def test_the_work_begins_once_all_is_open_that_it_needs(knowledge: Ascertain, monkeypatch: pytest.MonkeyPatch) -> None:
    """A kill while the model is loaded or another process writes is none over the files."""
    knowledge.set_up()
    counted: list[int] = []
    monkeypatch.setattr(work, "add_uploads", _look_first(counted, add_uploads))
    runner = JobRunner(knowledge.access)
    with knowledge.container.store().writing():
        job = knowledge.jobs.submit_files([("n.txt", text("bridge"))])
        runner.start(1)
        until(lambda: bool(counted))
    assert ended(knowledge, job).attempts == 1
    assert counted == [0]
    assert runner.stop(SECONDS)


def _look_first(counted: list[int], then: Callable[..., object]) -> Callable[..., object]:
    def look(container: Container, *arguments, **named):
        counted.append(container.service.jobs.jobs()[0].attempts)
        return then(container, *arguments, **named)

    return look


def test_files_of_a_failed_job_are_no_orphans(knowledge: Ascertain, monkeypatch: pytest.MonkeyPatch) -> None:
    job = knowledge.jobs.submit_files([("n.txt", text("bridge"))])
    for _ in range(3):
        claim_and_die(knowledge, job, has_begun=True, is_read=True)
    runner = JobRunner(knowledge.access)
    runner.start(1)
    assert ended(knowledge, job).state is JobState.FAILED
    assert runner.stop(SECONDS)
    monkeypatch.setattr("ascertain.app.adding.uploads._ORPHAN_SECONDS", -1.0)
    forget_orphans(knowledge.service, "default", knowledge.documents)
    assert names(knowledge) == ["n.txt"]
    knowledge.service.jobs.delete(job.id)
    forget_orphans(knowledge.service, "default", knowledge.documents)
    assert names(knowledge) == []


def test_a_later_upload_that_was_never_accepted_takes_no_place(
    knowledge: Ascertain, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its request was killed after the file was kept and before its job was queued."""
    job = knowledge.jobs.submit_files([("n.txt", text("bridge"))])
    keep_upload(knowledge.service.files, "default", "n.txt", text("tram"), conversation_id=None, limit=1000)
    runner = JobRunner(knowledge.access)
    runner.start(1)
    done = ended(knowledge, job)
    assert (done.report["added"], done.report["notes"]) == (1, [])
    assert sources(knowledge) == ["upload:n.txt"]
    assert runner.stop(SECONDS)
    monkeypatch.setattr("ascertain.app.adding.uploads._ORPHAN_SECONDS", -1.0)
    forget_orphans(knowledge.service, "default", knowledge.documents)
    (kept,) = knowledge.service.files.files()
    assert kept.id == next(iter(uploads_of(job.work))).file_id


def test_a_later_upload_that_failed_takes_no_place(knowledge: Ascertain) -> None:
    first = knowledge.jobs.submit_files([("n.txt", text("bridge"))])
    second = knowledge.jobs.submit_files([("n.txt", [b"\0\1\2" * 100])])
    for _ in range(3):
        claim_and_die(knowledge, first, has_begun=True, is_read=True)
    runner = JobRunner(knowledge.access)
    runner.start(1)
    assert ended(knowledge, first).state is ended(knowledge, second).state is JobState.FAILED
    knowledge.jobs.retry(first.id)
    assert ended(knowledge, first).report["added"] == 1
    assert runner.stop(SECONDS)


def test_only_a_job_that_failed_and_has_its_files_can_be_run_again(knowledge: Ascertain, runner: JobRunner) -> None:
    done = ended(knowledge, knowledge.jobs.submit_files([("n.txt", text("bridge"))]))
    with pytest.raises(JobNotFailed, match=f"job {done.id} is finished; only one that failed"):
        knowledge.jobs.retry(done.id)
    assert knowledge.jobs.retry("unknown") is None
    assert knowledge.as_tenant("acme").jobs.retry(done.id) is None
    bad = ended(knowledge, knowledge.jobs.submit_files([("broken.pdf", [b"%PDF-1.4 cut off"])]))
    for file in knowledge.service.files.files():
        knowledge.service.files.delete(file.id)
    with pytest.raises(JobNotFailed, match="no longer stored; add them again"):
        knowledge.jobs.retry(bad.id)


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ([], "no file to add"),
        ([("a.txt", [b"a"]), ("./a.txt", [b"b"])], "two files are named a.txt"),
        ([("..", [b"a"])], "is not a file name"),
        ([("a.txt", [b"a"]), ("big.txt", [b"x" * 11])], "over the limit of 10 bytes"),
    ],
)
def test_a_submission_that_is_refused_keeps_nothing(tmp_path: Path, files, message: str) -> None:
    with opened(tmp_path / "kb", ingest=IngestSettings(max_file_bytes=10)) as knowledge:
        with pytest.raises(UsageError, match=message):
            knowledge.jobs.submit_files(files)
        knowledge.set_up()
        assert names(knowledge) == []
        assert knowledge.service.jobs.jobs() == []


def test_a_submission_that_breaks_off_keeps_nothing(knowledge: Ascertain) -> None:
    def pieces() -> Iterator[bytes]:
        yield b"the beginning"
        raise ConnectionResetError("the client went away")

    with pytest.raises(ConnectionResetError):
        knowledge.jobs.submit_files([("a.txt", text("bridge")), ("b.txt", pieces())])
    assert names(knowledge) == []
    assert knowledge.service.jobs.jobs() == []


def test_a_profile_and_tags_are_checked_before_anything_is_kept(knowledge: Ascertain) -> None:
    with pytest.raises(ConfigurationError, match="nwes"):
        knowledge.jobs.submit_files([("a.txt", text("bridge"))], profile="nwes")
    for tag in ("", "x" * 101, "a\nb"):
        with pytest.raises(UsageError, match="is not a valid tag"):
            knowledge.jobs.submit_files([("a.txt", text("bridge"))], tags=[tag])
    assert not knowledge.exists


@pytest.mark.parametrize(
    "address", ["/etc/passwd", "file:///etc/passwd", "notes.txt", "~/.ssh/id_rsa", "", "ftp://example.org/a"]
)
def test_nobody_can_name_a_file_of_the_machine_as_an_address(knowledge: Ascertain, address: str) -> None:
    with pytest.raises(UsageError):
        knowledge.jobs.submit_addresses(["https://example.org/a", address])
    assert not knowledge.exists


def test_addresses_wait_as_a_job_whose_name_tells_no_secret(knowledge: Ascertain) -> None:
    job = knowledge.jobs.submit_addresses(["https://example.org/a?key=secret", "arxiv:1706.03762"])
    assert (job.kind, job.total) == ("addresses", 2)
    assert "secret" not in json.dumps(job.to_json())
    assert "example.org/a" in job.what


def test_a_large_file_is_taken_in_pieces(knowledge: Ascertain, runner: JobRunner) -> None:
    words = b"The bridge is long. " * 5000
    stream = io.BytesIO(words)
    job = knowledge.jobs.submit_files([("long.txt", iter(lambda: stream.read(1000), b""))])
    assert job.total == len(words)
    assert ended(knowledge, job).report["added"] == 1


def test_the_jobs_of_a_deleted_conversation_go_with_it(knowledge: Ascertain) -> None:
    """Nothing works on them here: those that wait and those that are done go alike, with their files."""
    knowledge.jobs.submit_files([("a.txt", text("bridge"))], conversation_id="c")
    done = knowledge.jobs.submit_addresses(["https://example.org/tram"], conversation_id="c")
    knowledge.jobs.cancel(done.id)
    other = knowledge.jobs.submit_files([("b.txt", text("tram"))])
    knowledge.delete_conversation("c")
    assert [job.id for job in knowledge.service.jobs.jobs()] == [other.id]
    assert names(knowledge) == ["b.txt"]


@pytest.fixture
def pair_of_threads(knowledge: Ascertain) -> Iterator[JobRunner]:
    runner = JobRunner(knowledge.access)
    runner.start(2)
    yield runner
    assert runner.stop(SECONDS)


def at_work() -> set[object]:
    return READERS._started - set(READERS._idle)


def test_cancelling_a_job_ends_the_process_that_reads_its_file(knowledge: Ascertain, runner: JobRunner) -> None:
    job = knowledge.jobs.submit_files([("bomb.pdf", [one_page_many_times()])])
    until(lambda: bool(at_work()))
    (process,) = at_work()
    assert knowledge.jobs.cancel(job.id)
    until(lambda: process not in READERS._started)
    assert ended(knowledge, job).state is JobState.CANCELLED
    later = knowledge.jobs.submit_files([("a.txt", text("bridge"))])
    assert ended(knowledge, later).state is JobState.FINISHED
    assert names(knowledge) == ["a.txt"]


def test_files_that_take_long_hold_up_no_other_tenant(knowledge: Ascertain, pair_of_threads: JobRunner) -> None:
    bombs = [knowledge.jobs.submit_files([(f"bomb{number}.pdf", [one_page_many_times()])]) for number in range(3)]
    until(lambda: bool(at_work()))
    other = knowledge.as_tenant("other")
    assert ended(other, other.jobs.submit_files([("a.txt", text("bridge"))])).state is JobState.FINISHED
    assert all(not found.state.is_ended for found in (knowledge.service.jobs.get(job.id) for job in bombs) if found)
    for job in reversed(bombs):
        knowledge.jobs.cancel(job.id)


def test_a_file_over_its_limits_is_named_in_the_report(tmp_path: Path) -> None:
    with opened(tmp_path / "kb", ingest=IngestSettings(reading=ReadingSettings(seconds=1))) as knowledge:
        runner = JobRunner(knowledge.access)
        runner.start(1)
        files = [("bomb.pdf", [one_page_many_times()]), ("a.txt", text("bridge"))]
        done = ended(knowledge, knowledge.jobs.submit_files(files))
        assert runner.stop(SECONDS)
        assert (done.state, done.report["added"]) == (JobState.FINISHED, 1)
        assert done.report["failures"] == [
            {
                "source": "upload:bomb.pdf",
                "reason": "takes longer than 1 s to read; split it, or raise ingest.reading.seconds if it is known to be good",
            }
        ]
