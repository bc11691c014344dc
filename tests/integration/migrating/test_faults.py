"""Migrations that are killed, run twice at once, or lose what they write to."""

import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from knowledge_bases import MODEL, comparable, exported, talk

from ascertain.app.migration.copying import Migration
from ascertain.app.migration.plan import open_stores
from ascertain.core.errors import StoreError
from ascertain.testing.store_documents import a_document

HERE = Path(__file__).parent

RUN = """
import json, sys
sys.path[:0] = json.loads(sys.argv[1])
from pathlib import Path
from ascertain.app.migration.copying import Migration
from ascertain.app.container.store_addresses import Address
from ascertain.core.errors import StoreError
from ascertain.core.settings import StoreSettings

def address(settings, home):
    return Address(StoreSettings.model_validate_json(settings), Path(home))

migration = Migration(address(*sys.argv[2:4]), address(*sys.argv[4:6]))
class Say:
    def stage(self, name, chunks):
        print(name, flush=True)
    def report_progress(self, chunks):
        print(chunks, flush=True)
"""

COPY = RUN + "print(migration.run(Say()).differences)\n"

COPY_WITH_A_LIMIT = (
    RUN
    + """
import resource
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[6]), resource.RLIM_INFINITY))
try:
    migration.run(Say())
except StoreError as error:
    print(error)
"""
)


def begin(script, source, target, *arguments):
    paths = f'["{HERE}", "{HERE.parents[1] / "contract"}"]'
    places = [part for a in (source, target) for part in (a.store.model_dump_json(), str(a.home))]
    return subprocess.Popen(
        [sys.executable, "-c", script, paths, *places, *map(str, arguments)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


@pytest.fixture
def large(folder):
    """3,000 chunks in 300 documents of two tenants, and 40 conversations."""
    address = folder()
    with open_stores(address, MODEL, create=True) as here:
        for tenant in ("default", "acme"):
            here.chunks.upsert(
                [
                    a_document(
                        f"/{n}.md", tuple(f"word {n} {part} " + "x y " * 50 for part in range(10)), tenant=tenant
                    )
                    for n in range(150)
                ]
            )
            for n in range(20):
                talk(here.conversations, f"talk {n}", 2, tenant)
    return address


def assert_equal(source, target):
    """By the verification and by what is read from both."""
    assert Migration(source, target).verify().differences == ()
    with open_stores(source, MODEL) as here, open_stores(target, MODEL) as there:
        assert there.chunks.check().problems == ()
        for tenant in ("default", "acme"):
            expected = [comparable(found) for found in exported(here.chunks, tenant)]
            assert [comparable(found) for found in exported(there.chunks, tenant)] == expected
            assert there.chunks.count(tenant) == here.chunks.count(tenant) == 1500
            assert len({chunk.id for chunk in there.chunks.iterate_chunks()}) == 1500


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_killed_at_any_moment_the_same_command_goes_on(large, place, seed):
    target = place()
    moments = random.Random(seed)
    for _ in range(6):
        process = begin(COPY, large, target)
        for _ in range(moments.randrange(0, 9)):
            process.stdout.readline()
        time.sleep(moments.random() / 20)
        process.send_signal(signal.SIGKILL)
        process.communicate()
    out, err = begin(COPY, large, target).communicate()
    assert out.splitlines()[-1:] == ["()"], err
    assert_equal(large, target)


def test_two_at_once_make_no_duplicates(large, place):
    target = place()
    both = [begin(COPY, large, target) for _ in range(2)]
    for process in both:
        out, err = process.communicate()
        assert out.splitlines()[-1:] == ["()"], err
    assert_equal(large, target)


@pytest.mark.parametrize("limit", [60_000, pytest.param(1_500_000, marks=pytest.mark.slow), 4_000_000])
def test_a_full_disk_is_told_and_a_rerun_goes_on(large, folder, limit):
    target = folder()
    out, err = begin(COPY_WITH_A_LIMIT, large, target, limit).communicate()
    message = out.splitlines()[-1]
    assert f"no space left to write to {target.home}" in message, err
    assert "of 300 documents are known to be in" in message
    assert Migration(large, target).run().differences == ()
    assert_equal(large, target)


class Stop:
    """Stops a server after so many batches."""

    def __init__(self, server, batches):
        self.server, self.batches = server, batches

    def stage(self, name, chunks):
        pass

    def report_progress(self, chunks):
        self.batches -= 1
        if self.batches == 0:
            self.server.stop()


def test_a_server_that_goes_away_is_told_and_a_rerun_goes_on(large, own_server):
    target = own_server.place()
    with pytest.raises(StoreError, match=r"of 300 documents are known to be in .* goes on from there"):
        Migration(large, target).run(Stop(own_server, 2))
    own_server.start()
    report = Migration(large, target).run()
    assert report.differences == ()
    assert report.unchanged > 0
    assert_equal(large, target)
