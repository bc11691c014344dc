import threading
from datetime import UTC, datetime, timedelta

import pytest

from ascertain.core.errors import ModelError
from ascertain.models.chat.provider import ModelAddress
from ascertain.models.servers.breaker import (
    LONGEST_PAUSE,
    SHORTEST_PAUSE,
    BreakerState,
    CircuitBreaker,
    find_breaker,
    list_breakers,
)

NOON = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)


class Watch:
    """Tells the time that a test has set, on both clocks."""

    def __init__(self) -> None:
        self.seconds = 1000.0

    def __call__(self) -> float:
        return self.seconds

    def now(self) -> datetime:
        return NOON + timedelta(seconds=self.seconds - 1000.0)


@pytest.fixture
def watch():
    return Watch()


@pytest.fixture
def breaker(watch):
    return CircuitBreaker("the chat model tiny", clock=watch, wall_clock=watch)


def fail(breaker: CircuitBreaker, reason: str = "no reply", doubt: float = 1.0, **seconds: float) -> None:
    """A failure that makes for a pause of four minutes, unless ``seconds`` say something else."""
    with breaker.admit_call():
        breaker.record_failure(reason, doubt, **{"time_limit": 120, **seconds})


def refusal(breaker: CircuitBreaker) -> str:
    with pytest.raises(ModelError) as caught, breaker.admit_call():
        pytest.fail("the call was let through")
    return str(caught.value)


def test_a_server_is_left_alone_after_a_failure_and_told_until_when(breaker, watch):
    fail(breaker, "no complete reply within 8 s")
    told = "the chat model tiny is left alone (no complete reply within 8 s); the rules answer until 12:04"
    assert refusal(breaker) == told
    watch.seconds += 239
    assert refusal(breaker) == told
    assert breaker.state is BreakerState.OPEN


def test_after_the_pause_a_reply_lets_all_calls_through(breaker, watch):
    fail(breaker)
    watch.seconds += 240
    assert breaker.state is BreakerState.HALF_OPEN
    with breaker.admit_call():
        breaker.record_reply()
    assert breaker.state is BreakerState.CLOSED
    with breaker.admit_call(), breaker.admit_call():
        pass


def test_after_the_pause_a_failure_begins_another(breaker, watch):
    fail(breaker)
    watch.seconds += 240
    fail(breaker, "the connection was cut", doubt=0.1)
    assert "(the connection was cut); the rules answer until 12:08" in refusal(breaker)


def test_one_call_at_a_time_tries_again(breaker, watch):
    fail(breaker)
    watch.seconds += 240
    with breaker.admit_call():
        assert "is being tried by another question" in refusal(breaker)
        assert breaker.state is BreakerState.HALF_OPEN


def test_of_many_threads_one_tries_again(breaker, watch):
    fail(breaker)
    watch.seconds += 240
    start, refused, tried = threading.Barrier(8), threading.Event(), []

    def call():
        start.wait()
        try:
            with breaker.admit_call():
                tried.append(1)
                assert refused.wait(30)
        except ModelError:
            others.release()

    others = threading.Semaphore(0)
    threads = [threading.Thread(target=call) for _ in range(8)]
    for thread in threads:
        thread.start()
    for _ in range(7):
        assert others.acquire(timeout=30)
    refused.set()
    for thread in threads:
        thread.join()
    assert tried == [1]


@pytest.mark.parametrize("end", [KeyboardInterrupt, ModelError])
def test_a_call_that_tells_nothing_leaves_the_trial_to_the_next(breaker, watch, end):
    fail(breaker)
    watch.seconds += 240
    with pytest.raises(end), breaker.admit_call():
        raise end
    assert breaker.state is BreakerState.HALF_OPEN
    with breaker.admit_call():
        breaker.record_reply()
    assert breaker.state is BreakerState.CLOSED


def test_a_failure_that_says_little_opens_only_with_others(breaker):
    fail(breaker, doubt=0.5)
    assert breaker.state is BreakerState.CLOSED
    fail(breaker, doubt=0.5)
    assert breaker.state is BreakerState.OPEN


def test_a_reply_takes_all_doubt_away(breaker):
    for _ in range(5):
        fail(breaker, doubt=0.5)
        with breaker.admit_call():
            breaker.record_reply()
    assert breaker.state is BreakerState.CLOSED


def test_failures_of_calls_that_began_before_the_pause_do_not_prolong_it(breaker, watch):
    with breaker.admit_call(), breaker.admit_call():
        breaker.record_failure("no reply", 1.0, 120)
        watch.seconds += 120
        breaker.record_failure("no reply", 1.0, 120)
    watch.seconds += 120
    assert breaker.state is BreakerState.HALF_OPEN


def test_a_reply_to_a_call_that_began_before_the_pause_ends_it(breaker):
    with breaker.admit_call(), breaker.admit_call():
        breaker.record_failure("no reply", 1.0, 120)
        breaker.record_reply()
    assert breaker.state is BreakerState.CLOSED


@pytest.mark.parametrize(
    ("time_limit", "retry_after", "pause"),
    [
        (1, None, SHORTEST_PAUSE),
        (600, None, 1200),
        (600, 30, 1200),
        (60, 1800, 1800),
        (60, 1e9, LONGEST_PAUSE),
        (3600, None, LONGEST_PAUSE),
    ],
)
def test_a_pause_goes_by_the_time_limit_and_by_what_the_server_asks_for(breaker, watch, time_limit, retry_after, pause):
    fail(breaker, time_limit=time_limit, retry_after=retry_after)
    watch.seconds += pause - 1
    assert breaker.state is BreakerState.OPEN
    watch.seconds += 1
    assert breaker.state is BreakerState.HALF_OPEN


def test_what_people_are_told_of_each_state(breaker, watch):
    assert breaker.describe_state() == "the chat model tiny is asked"
    fail(breaker, "no reply")
    assert breaker.describe_state() == "the chat model tiny is left alone (no reply); the rules answer until 12:04"
    watch.seconds += 240
    told = "the chat model tiny was left alone (no reply); the next call tries it again"
    assert breaker.describe_state() == told


def test_there_is_one_for_each_model_of_each_server_whatever_the_key():
    def at(server: str = "http://a/v1", model: str = "tiny", key: str = "one") -> CircuitBreaker:
        return find_breaker(str(ModelAddress("openai", model, server, key)))

    assert at() is at(key="two")
    assert len({id(at()), id(at(server="http://b/v1")), id(at(model="large"))}) == 3
    assert [breaker.name for breaker in list_breakers()] == [
        "the chat model tiny at http://a/v1",
        "the chat model tiny at http://b/v1",
        "the chat model large at http://a/v1",
    ]
