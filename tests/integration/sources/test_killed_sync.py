"""The command is killed in the middle of a source, and goes on where it was."""

import json
import os
import signal
import subprocess
import sys
import time

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


def test_goes_on_after_a_kill(tmp_path):
    (tmp_path / "texts").mkdir()
    for number in range(FILES):
        (tmp_path / "texts" / f"{number}.txt").write_text(f"Note {number}: the otter of river {number} sleeps.")
    run(tmp_path, "source", "add", str(tmp_path / "texts"), "--name", "texts", "--no-read")

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
