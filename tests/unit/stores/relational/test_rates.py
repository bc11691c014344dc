import pytest

from ascertain.stores.relational.service_tables import Bucket

SECOND = 1_000_000


@pytest.mark.parametrize(
    ("tokens", "passed", "left"),
    [(0.0, 0, 0.0), (0.0, 6, 1.0), (0.5, 6, 1.5), (9.5, 6, 10.0), (0.0, 10_000, 10.0), (0.5, -6, 0.5)],
)
def test_ten_a_minute_are_one_every_six_seconds(tokens, passed, left):
    bucket = Bucket(tokens, 100 * SECOND).at((100 + passed) * SECOND, 10, 60.0)
    assert bucket.tokens == pytest.approx(left)
    assert bucket.moment == max(100, 100 + passed) * SECOND


@pytest.mark.parametrize(
    ("tokens", "now", "wait"), [(1.0, 100, 0.0), (0.5, 100, 3.0), (0.0, 100, 6.0), (-0.5, 100, 9.0), (0.0, 90, 16.0)]
)
def test_the_wait_is_until_there_is_a_token(tokens, now, wait):
    assert Bucket(tokens, 100 * SECOND).wait(now * SECOND, 10, 60.0) == wait
