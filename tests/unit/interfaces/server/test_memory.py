"""The memory of a service that goes on for days."""

import gc
import platform
import subprocess
import sys
import threading

import pytest

from ascertain.interfaces.server.memory import giving_back_memory

FREED_BETWEEN = """
import os, time
from ascertain.interfaces.server.memory import giving_back_memory

def resident():
    return int(open("/proc/self/statm").read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6

# pieces too large for Python's own allocator and too small for pages of their own: every hundredth stays
pieces = [bytes(4000) for _ in range(25_000)]
kept, full = pieces[::100], resident()
del pieces
left = resident()
with giving_back_memory(0.05):
    until = time.monotonic() + 20
    while resident() > full - 80 and time.monotonic() < until:
        time.sleep(0.05)
print(round(full - left), round(full - resident()))
"""


@pytest.mark.skipif(
    platform.libc_ver()[0] != "glibc", reason="other C libraries keep no freed memory between what stays"
)
def test_what_was_freed_between_things_that_stay_goes_back_to_the_system() -> None:
    ran = subprocess.run([sys.executable, "-c", FREED_BETWEEN], capture_output=True, text=True, check=True)
    by_itself, given_back = (int(megabytes) for megabytes in ran.stdout.split())
    assert by_itself < 20
    assert given_back >= 80


def test_garbage_in_circles_is_collected_while_the_service_goes_on() -> None:
    freed = threading.Event()

    class Circle:
        def __init__(self) -> None:
            self.itself = self

        def __del__(self) -> None:
            freed.set()

    gc.disable()
    try:
        with giving_back_memory(0.02):
            Circle()
            assert freed.wait(20)
    finally:
        gc.enable()


def test_nothing_goes_on_once_the_service_has_ended() -> None:
    before = set(threading.enumerate())
    with giving_back_memory(0.02):
        (thread,) = set(threading.enumerate()) - before
    thread.join(20)
    assert not thread.is_alive()
