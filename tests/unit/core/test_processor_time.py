"""Work that takes too much of the processor is ended, and nothing else is."""

import contextvars
import threading
import time

import pytest

from ascertain.core.errors import TooMuchWork
from ascertain.core.system.processor_time import count_processor_time, limit_processor_time


def spin(seconds):
    until = time.thread_time() + seconds
    while time.thread_time() < until:
        pass


def test_ends_work_that_goes_on_and_says_why():
    with pytest.raises(TooMuchWork, match="too much for one"), limit_processor_time(0.3, "too much for one"):
        spin(60)


def test_leaves_alone_what_waits_and_what_is_quick():
    with limit_processor_time(0.2, "no"):
        time.sleep(1.0)
        spin(0.05)
    spin(1.0)


def test_is_not_stopped_by_those_who_handle_errors():
    def swallow():
        while True:
            try:
                spin(60)
            except Exception:
                pytest.fail("an error that can be handled")

    with pytest.raises(TooMuchWork), limit_processor_time(0.3, "no"):
        swallow()


def test_ends_work_in_threads_of_its_context():
    ended = threading.Event()

    def work():
        try:
            with count_processor_time():
                spin(60)
        except BaseException:
            ended.set()

    with pytest.raises(TooMuchWork), limit_processor_time(0.3, "no"):
        thread = threading.Thread(target=contextvars.copy_context().run, args=(work,), daemon=True)
        thread.start()
        thread.join(30)
        assert ended.is_set()
        spin(60)


def test_the_outer_bound_ends_what_is_inside():
    with (
        pytest.raises(TooMuchWork, match="outer"),
        limit_processor_time(0.3, "outer"),
        limit_processor_time(50, "inner"),
    ):
        spin(60)


def test_nothing_comes_after_the_end():
    """At whatever moment it is sent: whoever has left is sent nothing any more."""
    for number in range(12):
        try:
            with limit_processor_time(0.01, "no"):
                spin(0.2 + 0.01 * number)
        except TooMuchWork:
            pass
        spin(0.3)
