"""What every rate limit must do."""

import threading
from datetime import timedelta
from itertools import count

import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from service_nouns import NOON, ODD, later

_numbers = count()

TAKE_OFTEN = """
say("ready")
print(sum(service.rates.take("name", 50, 60.0, noon) == 0.0 for _ in range(40)))
"""


def allowed(service, moments, limit=3, seconds=60.0, name="name"):
    return [service.rates.take(name, limit, seconds, moment) == 0.0 for moment in moments]


def test_so_many_at_once_and_no_more(service):
    assert allowed(service, [NOON] * 5) == [True, True, True, False, False]


def test_the_wait_is_until_the_next_one_is_refilled(service):
    allowed(service, [NOON] * 3)
    assert service.rates.take("name", 3, 60.0, NOON) == 20.0
    assert service.rates.take("name", 3, 60.0, later(seconds=15)) == 5.0
    assert allowed(service, [later(seconds=20), later(seconds=20)]) == [True, False]


def test_it_is_refilled_evenly_and_never_above_the_limit(service):
    allowed(service, [NOON] * 3)
    assert allowed(service, [later(seconds=40)] * 3) == [True, True, False]
    assert allowed(service, [later(days=1)] * 4) == [True, True, True, False]


def test_a_refused_request_costs_nothing(service):
    allowed(service, [NOON] * 3)
    for second in range(20):
        assert service.rates.take("name", 3, 60.0, later(seconds=second)) > 0
    assert service.rates.take("name", 3, 60.0, later(seconds=20)) == 0.0


def test_a_clock_that_goes_backwards_refills_nothing(service):
    assert allowed(service, [NOON, later(hours=-1), later(hours=-2), NOON]) == [True, True, True, False]
    assert service.rates.take("name", 3, 60.0, later(seconds=-10)) == 30.0


def test_another_limit_counts_from_now_on(service):
    allowed(service, [NOON] * 10, limit=10)
    assert service.rates.take("name", 20, 60.0, NOON) == 3.0
    assert allowed(service, [later(minutes=5)] * 3, limit=2) == [True, True, False]


def test_a_limit_of_none_refuses(service):
    assert service.rates.take("name", 0, 60.0, NOON) == 60.0


def test_names_are_told_apart_to_the_character(service):
    assert all(allowed(service, [NOON], limit=1, name=name) == [True] for name in ODD)
    assert all(allowed(service, [NOON], limit=1, name=name) == [False] for name in ODD)


def test_what_is_not_used_any_more_is_forgotten(service):
    allowed(service, [NOON], name="old")
    allowed(service, [later(days=1)], name="new")
    with service.rates._database.reading() as db:
        assert len(db.fetch_rows("SELECT 1 FROM rate_buckets")) == 1


@hypothesis_settings(deadline=None, max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=st.lists(st.floats(-2, 20), min_size=1, max_size=15), limit=st.integers(1, 7), seconds=st.floats(0.5, 90))
def test_the_wait_it_names_is_just_enough(service, steps, limit, seconds):
    now, name = NOON, f"example {next(_numbers)}"
    for step in steps:
        now += timedelta(seconds=step)
        wait = service.rates.take(name, limit, seconds, now)
        if wait > 0:
            early = now + timedelta(seconds=wait * 0.9 - 0.001)
            if early > now:
                assert service.rates.take(name, limit, seconds, early) > 0
            now += timedelta(seconds=wait)
            assert service.rates.take(name, limit, seconds, now) == 0.0


@hypothesis_settings(deadline=None, max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=st.lists(st.floats(0, 5), max_size=30), limit=st.integers(1, 5))
def test_never_more_than_what_was_full_and_refilled_since(service, steps, limit):
    now, taken, name = NOON, 0, f"example {next(_numbers)}"
    for step in steps:
        now += timedelta(seconds=step)
        taken += service.rates.take(name, limit, 10.0, now) == 0.0
        assert taken <= limit + (now - NOON).total_seconds() * limit / 10.0 + 1e-6


def test_processes_at_the_same_time_together_get_no_more_than_the_limit(process):
    others = [process(TAKE_OFTEN) for _ in range(2)]
    for other in others:
        assert other.stdout.readline() == "ready\n"
    for other in others:
        other.stdin.write("\n")
        other.stdin.flush()
    assert sum(int(other.communicate()[0]) for other in others) == 50


@pytest.mark.parametrize("limit", [1, 25])
def test_threads_at_the_same_time_together_get_no_more_than_the_limit(service, limit):
    taken = []

    def take():
        taken.extend(service.rates.take("name", limit, 60.0, NOON) == 0.0 for _ in range(10))

    threads = [threading.Thread(target=take) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sum(taken) == limit
