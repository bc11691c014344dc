"""No space left: a clear line, a whole record, and a rerun that works."""

import subprocess
import sys

import pytest

from ascertain.core.asking.passages import Filter
from ascertain.core.errors import StoreError
from ascertain.core.settings import StoreSettings
from ascertain.stores.registry import open_store
from ascertain.testing.store_documents import a_document, found_by_meaning, found_by_words

FILL = """
import resource
from ascertain.core.errors import StoreError
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[1]), resource.RLIM_INFINITY))
written = 0
try:
    with store.writing():
        for number in range(200):
            store.upsert([a_document(f"/{number}.md", tuple(f"word {number} {p} " + "x y z " * 300 for p in range(10)))])
            written += 1
except StoreError as error:
    print(written, error)
else:
    print(written, "everything fitted")
"""


def filling(number):
    return a_document(f"/{number}.md", tuple(f"word {number} {p} " + "x y z " * 300 for p in range(10)))


def assert_whole(store, at_least):
    assert len(store.documents()) >= at_least
    stored = {chunk.id for chunk in store.iterate_chunks()}
    assert len(stored) == 10 * len(store.documents())
    assert found_by_words(store, "word", Filter(), 5000) == found_by_meaning(store, Filter(), 5000) == stored
    assert [problem for problem in store.check().problems if "free" not in problem] == []


@pytest.mark.parametrize("limit", [70_000, 300_000, 1_000_000, 2_500_000])
def test_a_file_that_cannot_grow_is_reported_and_a_rerun_goes_on(reopen, process, home, limit):
    done = subprocess.run(
        [sys.executable, "-c", process + FILL, str(limit)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    written, message = done.stdout.split(" ", 1)
    assert f"no space left to write to {home}" in message
    assert "free some space" in message
    store = reopen()
    assert_whole(store, int(written))
    store.upsert([filling(number) for number in range(200)])
    assert_whole(store, 200)


def test_a_small_full_file_system_is_reported_and_a_rerun_goes_on(tmp_path):
    mount = tmp_path / "small"
    mount.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=6m", "tmpfs", str(mount)], capture_output=True, check=False
    )
    if mounted.returncode:
        # Mounting needs root. The limit on file sizes above stands in for it elsewhere.
        return
    try:
        store = open_store(StoreSettings(), mount / "home", "model-a", 8)
        written = 0
        with pytest.raises(StoreError, match="no space left"), store.writing():
            for number in range(1000):
                store.upsert([filling(number)])
                written += 1
        store.close()
        subprocess.run(["mount", "-o", "remount,size=200m", str(mount)], check=True)
        again = open_store(StoreSettings(), mount / "home", "model-a", 8)
        assert_whole(again, written)
        again.upsert([filling(number) for number in range(100)])
        assert_whole(again, 100)
        again.close()
    finally:
        subprocess.run(["umount", "-l", str(mount)], check=True)
