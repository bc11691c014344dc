from hypothesis import given
from hypothesis import strategies as st

from ascertain.models.chat.structured import LONGEST_SECONDS, backoff_seconds

CHANCES = st.floats(0, 1)


@given(st.integers(0, 60), CHANCES)
def test_wait_is_bounded_and_never_none(attempt: int, chance: float):
    assert 0.5 <= backoff_seconds(attempt, None, chance) <= LONGEST_SECONDS


@given(st.integers(0, 10), CHANCES)
def test_wait_grows(attempt: int, chance: float):
    assert backoff_seconds(attempt + 1, None, chance) >= backoff_seconds(attempt, None, chance)


@given(st.integers(0, 10), st.floats(0, 1e6), CHANCES)
def test_server_is_never_asked_before_it_wants(attempt: int, retry_after: float, chance: float):
    assert backoff_seconds(attempt, retry_after, chance) >= retry_after
