"""Sources on record: read, read again, interrupted, removed, watched."""

import threading
import time
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import keyring
import pytest
from keyring.backend import KeyringBackend
from small_knowledge import opened

from ascertain.app.jobs.runner import JobRunner
from ascertain.app.sources.desk import names_this_machine
from ascertain.app.sources.watching import SourceWatch
from ascertain.core.asking.passages import Filter
from ascertain.core.documents.sources import SourceRecord, SourceState, format_interval, parse_interval
from ascertain.core.errors import AscertainError, UsageError
from ascertain.core.service.service import JobState
from ascertain.documents.reading.pool import ReadingStopped
from ascertain.documents.sources.connectors.secrets import resolve_secrets

PATIENCE = 60.0


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "texts").mkdir()
    for name in ("otters", "moles", "badgers"):
        (tmp_path / "texts" / f"{name}.txt").write_text(f"The {name} sleep in winter.")
    return tmp_path / "texts"


@pytest.fixture
def knowledge(tmp_path, folder):
    with opened(tmp_path / "kb") as base:
        base.sources.add(str(folder), name="texts")
        base.sources.sync("texts")
        yield base


def names(knowledge):
    return sorted(record.title for record in knowledge.documents() if record.chunks)


def until(condition):
    end = time.monotonic() + PATIENCE
    while not condition() and time.monotonic() < end:
        time.sleep(0.05)
    return condition()


def test_deletes_only_what_it_gave_itself(knowledge, folder, tmp_path):
    (folder / "deep").mkdir()
    (folder / "deep" / "added.txt").write_text("Added by hand, never listed by the source.")
    knowledge.add([folder / "deep"])
    (folder / "deep" / "added.txt").unlink()
    (folder / "moles.txt").unlink()
    _, report = knowledge.sources.sync("texts")
    assert report.deleted == 1
    assert names(knowledge) == ["Added", "Badgers", "Otters"]


def test_documents_of_a_folder_are_those_that_add_makes(knowledge, folder):
    report = knowledge.add([folder])
    assert (report.added, report.unchanged) == (0, 3)


def test_a_folder_that_is_not_there_loses_nothing(knowledge, folder):
    folder.rename(folder.with_name("away"))
    record, _ = knowledge.sources.sync("texts")
    assert (record.state, record.read_at) == (SourceState.FAILED, knowledge.sources.get("texts").read_at)
    assert "is its disk mounted?" in record.reason
    assert len(names(knowledge)) == 3


def test_a_folder_that_lost_most_of_its_files_loses_nothing_here(knowledge, folder):
    for path in folder.iterdir():
        path.unlink()
    record, report = knowledge.sources.sync("texts")
    assert report.deleted == 0
    assert "use --sync-all" in record.outcome.notes[0]


def test_failures_double_the_wait_up_to_a_day():
    noon = datetime(2024, 12, 5, 12, tzinfo=UTC)
    record = SourceRecord("x", "folder", "/x", "/x", noon)
    assert record.next_at == noon
    waits = [replace(record, started_at=noon, failed_in_a_row=times).next_at - noon for times in (0, 1, 3, 9)]
    assert waits == [timedelta(hours=hours) for hours in (1, 2, 8, 24)]
    assert replace(record, interval_seconds=0).next_at is None


@pytest.mark.parametrize("text", ["30m", "6h", "1d", "never"])
def test_intervals_are_written_as_they_are_read(text):
    assert format_interval(parse_interval(text)) == text


@pytest.mark.parametrize("text", ["", "0m", "5", "1w", "-1h", "99999h"])
def test_no_interval_is_an_error_that_says_how(text):
    with pytest.raises(UsageError, match="30m"):
        parse_interval(text)


@pytest.mark.parametrize(
    ("address", "options", "said"),
    [
        ("s3://ann:s3cret@bucket/x", {}, "password"),
        ("abfs://box/x", {"connection_string": "AccountKey=s3cret"}, "the option connection_string is a secret"),
        ("sftp://files/x", {"password": "s3cret"}, "the option password is a secret"),
        ("llamahub:notion.NotionPageReader", {"init.integration_token": "s3cret"}, "the option init.integration_token"),
        ("s3://bucket/x", {"secret": "env:NOT_THERE"}, "NOT_THERE, which is not set"),
        ("/nowhere", {"depth": "2"}, "there is no option depth"),
        ("https://example.org/", {"pages": "many"}, "not a number"),
        ("llamahub:nothing.AtAll", {}, "pip install llama-index-readers-nothing"),
        ("nosuch://x/y", {}, "nosuch"),
    ],
)
def test_what_cannot_be_a_source_is_refused_and_no_secret_repeated(knowledge, address, options, said):
    with pytest.raises(AscertainError) as raised:
        knowledge.sources.add(address, name="other", options=options)
    assert said in str(raised.value)
    assert "s3cret" not in str(raised.value)
    assert [record.name for record in knowledge.sources.list_all()] == ["texts"]


def test_a_path_is_remembered_whole(knowledge, tmp_path, monkeypatch):
    (tmp_path / "more").mkdir()
    monkeypatch.chdir(tmp_path)
    assert knowledge.sources.add("more").address == str(tmp_path / "more")


def test_a_secret_is_looked_up_in_the_keyring():
    class Ring(KeyringBackend):
        priority = 1

        def get_password(self, service, username):
            return "s3cret" if (service, username) == ("mail", "ann") else None

        def set_password(self, service, username, password):
            raise NotImplementedError

    before = keyring.get_keyring()
    keyring.set_keyring(Ring())
    try:
        assert resolve_secrets({"password": "keyring:mail/ann", "user": "ann"}, {}) == {
            "password": "s3cret",
            "user": "ann",
        }
        with pytest.raises(UsageError, match="keyring set mail bob"):
            resolve_secrets({"password": "keyring:mail/bob"}, {})
    finally:
        keyring.set_keyring(before)


def test_names_and_places_are_taken_once(knowledge, folder, tmp_path):
    with pytest.raises(UsageError, match="already"):
        knowledge.sources.add(str(tmp_path), name="texts")
    with pytest.raises(UsageError, match="by the source texts"):
        knowledge.sources.add(str(folder), name="again")
    with pytest.raises(UsageError, match="did you mean texts"):
        knowledge.sources.sync("text")


def test_an_interrupted_reading_is_due_at_once_and_goes_on(knowledge, folder):
    (folder / "voles.txt").write_text("The voles hide.")
    with pytest.raises(ReadingStopped):
        knowledge.sources.sync("texts", goes_on=lambda: False)
    assert knowledge.sources.get("texts").state is SourceState.INTERRUPTED
    assert knowledge.sources.find_due() == ["texts"]
    knowledge.sources.sync("texts")
    assert "Voles" in names(knowledge)
    assert knowledge.sources.find_due() == []


def test_removing_takes_its_documents_along_or_leaves_them(knowledge, folder, tmp_path):
    (tmp_path / "own.txt").write_text("Mine alone.")
    knowledge.add([tmp_path / "own.txt"])
    assert knowledge.sources.remove("texts", keeps_documents=True) == 0
    assert len(names(knowledge)) == 4
    knowledge.sources.add(str(folder), name="texts")
    knowledge.sources.sync("texts")
    assert knowledge.sources.remove("texts") == 3
    assert names(knowledge) == ["Own"]
    assert knowledge.sources.list_all() == []


def test_sources_of_one_tenant_are_nothing_to_another(knowledge):
    other = knowledge.as_tenant("acme")
    assert other.sources.list_all() == []
    with pytest.raises(UsageError):
        other.sources.sync("texts")


def test_a_job_reads_a_source_once_however_often_it_is_asked_for(knowledge, folder):
    (folder / "voles.txt").write_text("The voles hide.")
    first, second = knowledge.jobs.submit_source("texts"), knowledge.jobs.submit_source("texts")
    assert first.id == second.id
    runner = JobRunner(knowledge.access)
    runner.start(1)
    assert until(lambda: knowledge.service.jobs.get(first.id).state is JobState.FINISHED)
    runner.stop(PATIENCE)
    assert "Voles" in names(knowledge)
    assert knowledge.service.jobs.get(first.id).report["added"] == 1


def test_a_job_says_why_a_source_cannot_be_read(knowledge, folder):
    folder.rename(folder.with_name("away"))
    job = knowledge.jobs.submit_source("texts")
    runner = JobRunner(knowledge.access)
    runner.start(1)
    assert until(lambda: knowledge.service.jobs.get(job.id).state is JobState.FAILED)
    runner.stop(PATIENCE)
    assert "the folder does not exist" in knowledge.service.jobs.get(job.id).reason


def test_orphans_are_cleaned_up_and_sources_stay(knowledge):
    from ascertain.app.adding.uploads import SOURCE_RECORDS, forget_orphans

    [file] = knowledge.service.files.files("default", SOURCE_RECORDS)
    long_ago = datetime(2020, 1, 1, tzinfo=UTC)
    with knowledge.service.files.open(file.id) as path:
        content = path.read_bytes()
    knowledge.service.files.put(file.id, file.name, [content], long_ago)
    forget_orphans(knowledge.service, "default", knowledge.documents)
    assert [record.name for record in knowledge.sources.list_all()] == ["texts"]


@pytest.fixture
def watching(knowledge):
    watch = SourceWatch(knowledge.access, lambda tenant, name: knowledge.as_tenant(tenant).sources.sync(name))
    watch.start()
    yield watch
    watch.stop(PATIENCE)


def test_a_watched_folder_is_read_as_it_changes(knowledge, folder, watching):
    assert until(lambda: watching._folders)
    (folder / "voles.txt").write_text("The voles hide.")
    assert until(lambda: "Voles" in names(knowledge))
    (folder / "voles.txt").unlink()
    assert until(lambda: "Voles" not in names(knowledge))


def test_a_source_that_is_added_meanwhile_is_read_and_watched(knowledge, watching, tmp_path):
    (tmp_path / "more").mkdir()
    (tmp_path / "more" / "newts.txt").write_text("The newts bask.")
    knowledge.sources.add(str(tmp_path / "more"), name="more")
    assert until(lambda: "Newts" in names(knowledge))
    (tmp_path / "more" / "toads.txt").write_text("The toads croak.")
    assert until(lambda: "Toads" in names(knowledge))


def test_one_process_watches(knowledge, watching):
    assert until(lambda: not knowledge.service.leases.take("watch of sources"))
    assert SourceWatch(knowledge.access, lambda tenant, name: None).run() is False


def test_a_question_sees_the_old_text_or_the_new_and_never_a_part(knowledge, folder):
    """While a source is read again and again, whatever can be found is whole."""
    versions = {
        letter: f"Otters {letter} " + " ".join(f"{letter}{number}" for number in range(4000)) for letter in "xyz"
    }
    seen, ended = set(), threading.Event()

    def look():
        while not ended.is_set():
            for record in knowledge.documents(Filter(sources=(str(folder / "otters.txt"),))):
                document = knowledge.document(record.id)
                if document is not None:
                    seen.add(document.text)

    looking = threading.Thread(target=look)
    looking.start()
    for letter in "xyzxyz":
        (folder / "otters.txt").write_text(versions[letter])
        knowledge.sources.sync("texts")
    ended.set()
    looking.join()
    assert len(seen) >= 2
    assert seen <= {*versions.values(), "The otters sleep in winter."}


@pytest.mark.parametrize(
    ("kind", "address", "is_local"),
    [
        ("", "/etc", True),
        ("", "file:///etc", True),
        ("", "zip://::file:///x.zip", True),
        ("git", "/srv/repository", True),
        ("git", "file:///srv/repository.git", True),
        ("", "git@github.com:encode/httpx.git", False),
        ("", "https://github.com/encode/httpx.git", False),
        ("", "s3://bucket/x", False),
        ("", "https://example.org/guide/", False),
    ],
)
def test_tells_sources_of_this_machine_from_others(kind, address, is_local):
    assert names_this_machine(kind, address, {}) is is_local
