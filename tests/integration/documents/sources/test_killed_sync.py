"""The command is killed in the middle of a source, and goes on where it was; many small items take no more memory than some."""

import json
import os
import signal
import subprocess
import sys
import time
import zipfile
from pathlib import Path

import pytest

FILES = 1_500
PATIENCE = 200.0


def ascertain(folder, *arguments):
    return [sys.executable, "-m", "ascertain", "--home", str(folder / "kb"), *arguments]


def run(folder, *arguments):
    done = subprocess.run(ascertain(folder, *arguments), capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def count(folder):
    return len([each for each in json.loads(run(folder, "documents", "--json")) if each["chunks"]])


def a_note(number):
    return f"Note {number}: the otter of river {number} sleeps."


def make_folder(path, notes):
    path.mkdir()
    for number in range(notes):
        (path / f"{number}.txt").write_text(a_note(number))
    return str(path)


def make_archive(path, notes):
    with zipfile.ZipFile(path.with_suffix(".zip"), "w") as archive:
        for number in range(notes):
            archive.writestr(f"{number}.txt", a_note(number))
    return f"zip://::file://{path.with_suffix('.zip')}"


@pytest.mark.parametrize("make", [make_folder, pytest.param(make_archive, marks=pytest.mark.slow)])
def test_goes_on_after_a_kill(make, tmp_path):
    run(tmp_path, "source", "add", make(tmp_path / "texts", FILES), "--name", "texts", "--no-read")

    with subprocess.Popen(ascertain(tmp_path, "source", "sync", "texts"), start_new_session=True) as syncing:
        until = time.monotonic() + PATIENCE
        while count(tmp_path) == 0 and time.monotonic() < until:
            assert syncing.poll() is None, "it was over before it could be killed"
        os.killpg(syncing.pid, signal.SIGKILL)

    before = count(tmp_path)
    assert 0 < before < FILES
    [source] = json.loads(run(tmp_path, "source", "list", "--json"))
    assert source["state"] == "interrupted"

    synced = json.loads(run(tmp_path, "source", "sync", "texts", "--json"))
    assert synced["source"]["state"] == "read"
    assert synced["report"]["unchanged"] == before
    assert synced["report"]["added"] == FILES - before
    assert count(tmp_path) == FILES


READS = """
import resource, sys
sys.path.insert(0, sys.argv[1])
from pathlib import Path
from small_knowledge import opened
with opened(Path(sys.argv[2])) as knowledge:
    knowledge.sources.add(sys.argv[3], name="texts")
    record, report = knowledge.sources.sync("texts")
print(record.state.value, report.added, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024)
"""
"""With a small embedding model: it is the items that are many."""
MANY = 10_000
MOST = 400
"""MiB; 221 for five hundred of them, in November 2026."""


@pytest.mark.slow
@pytest.mark.timeout(390)
@pytest.mark.skipif(sys.platform != "linux", reason="other systems count memory in other units")
def test_ten_thousand_small_items_take_bounded_memory(tmp_path):
    given = [Path(__file__).parents[3] / "unit" / "app", tmp_path / "kb", make_archive(tmp_path / "texts", MANY)]
    done = subprocess.run([sys.executable, "-c", READS, *given], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    state, added, peak = done.stdout.split()
    assert (state, int(added)) == ("read", MANY)
    assert int(peak) < MOST
