from __future__ import annotations

import os
import resource
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from subprocess import Popen
from types import ModuleType

import pytest

from ascertain.core.settings import IngestSettings
from ascertain.documents.ingest.pipeline import Ingestor

Ingest = Callable[..., "Popen[str]"]


def finished(process: Popen[str]) -> tuple[int, str, str]:
    output, errors = process.communicate(timeout=120)
    return process.returncode, output, errors


def stored_notes(program: ModuleType, home: Path) -> int:
    store = program.open_home(home)
    try:
        assert store.check().problems == ()
        return len(store.documents())
    finally:
        store.close()


def test_two_ingests_at_once_into_one_home_write_everything_once(
    ingest: Ingest, tmp_path: Path, corpus: Path, program: ModuleType
) -> None:
    other = tmp_path / "other"
    shutil.copytree(corpus, other)
    for path in other.iterdir():
        path.write_text(f"{path.stem} lies elsewhere.\n")
    home = tmp_path / "home"
    first, second = ingest(home, corpus, 0.02), ingest(home, other, 0.02)
    results = [finished(first), finished(second)]
    assert [code for code, _, _ in results] == [0, 0], results
    assert stored_notes(program, home) == 80


def test_a_second_ingest_that_may_not_wait_says_who_writes(ingest: Ingest, tmp_path: Path, corpus: Path) -> None:
    home = tmp_path / "home"
    first = ingest(home, corpus, 2)
    assert first.stdout is not None
    first.stdout.readline()
    code, _, errors = finished(ingest(home, corpus, 0, 0.2))
    assert code == 1
    assert errors.splitlines()[-1].startswith("StoreBusy: ")
    assert "Traceback" not in errors
    first.kill()
    first.communicate()


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of one megabyte where that may be mounted, else a folder (and a limit on file sizes)."""
    folder = tmp_path / "disk"
    folder.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(folder)]
    mounted = os.geteuid() == 0 and shutil.which("mount") and subprocess.run(command, check=False).returncode == 0
    yield folder
    if mounted:
        subprocess.run(["umount", str(folder)], check=True)


def limit_file_size() -> None:
    resource.setrlimit(resource.RLIMIT_FSIZE, (300_000, 300_000))


def test_a_full_disk_ends_the_run_in_one_line_and_keeps_what_was_written(
    ingest: Ingest, tmp_path: Path, small_disk: Path, program: ModuleType
) -> None:
    corpus = tmp_path / "large"
    corpus.mkdir()
    for number in range(120):
        words = " ".join(f"word{number * 1000 + n}" for n in range(900))
        (corpus / f"note{number:03}.txt").write_text(f"{words}.\n")
    home = small_disk / "home"
    limit = None if os.path.ismount(small_disk) else limit_file_size
    code, output, errors = finished(ingest(home, corpus, preexec_fn=limit))
    assert code == 1
    assert errors.splitlines()[-1].startswith("StoreError: no space left"), errors
    assert "Traceback" not in errors
    acknowledged = {line.split()[1] for line in output.splitlines() if line.startswith("written")}
    assert 0 < len(acknowledged) < 120
    elsewhere = tmp_path / "home"
    shutil.copytree(home, elsewhere)
    store = program.open_home(elsewhere)
    assert acknowledged <= set(store.known())
    report = Ingestor(store, program.CheapEmbedder(), IngestSettings()).add_paths([corpus], profile="docs")
    assert report.failures == ()
    assert report.unchanged >= len(acknowledged)
    assert store.check().problems == ()
    assert len(store.documents()) == 120
    store.close()


class DeletingListener:
    """Deletes files once they are found and before they are read."""

    def __init__(self, paths: list[Path]) -> None:
        self._paths = paths

    def found(self, total_documents: int | None, total_bytes: int) -> None:
        for path in self._paths:
            path.unlink()

    def report_progress(self, source: str, bytes_done: int, chunks: int) -> None:
        pass

    def failed(self, source: str, reason: str) -> None:
        pass


def test_files_deleted_under_the_run_are_failures_and_the_others_are_written(
    tmp_path: Path, corpus: Path, program: ModuleType
) -> None:
    removed = sorted(corpus.iterdir())[-5:]
    store = program.open_home(tmp_path / "home")
    ingestor = Ingestor(store, program.CheapEmbedder(), IngestSettings())
    report = ingestor.add_paths([corpus], profile="docs", listener=DeletingListener(removed))
    assert report.added == 35
    assert [failure.source for failure in report.failures] == [str(path.resolve()) for path in removed]
    assert all("no such file" in failure.reason for failure in report.failures)
    failed = {record.source for record in store.documents() if record.state == "failed"}
    assert failed == {str(path.resolve()) for path in removed}
    assert store.check().problems == ()
    store.close()
