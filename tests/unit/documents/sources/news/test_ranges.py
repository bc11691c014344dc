"""How far back a range reaches."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ascertain.documents.sources.news.chain import beginning_of

LEAP_DAY = datetime(2024, 2, 29, tzinfo=UTC)
LONGER = ("1h", "day", "30h", "7d", "8d", "month", "90d", "year")
"""Each reaches further back than the one before."""


@pytest.mark.parametrize(
    ("now", "range", "expected"),
    [
        (LEAP_DAY, "any", None),
        (LEAP_DAY, "day", datetime(2024, 2, 28, tzinfo=UTC)),
        (LEAP_DAY, "week", datetime(2024, 2, 22, tzinfo=UTC)),
        (LEAP_DAY, "month", datetime(2024, 1, 29, tzinfo=UTC)),
        (LEAP_DAY, "year", datetime(2023, 2, 28, tzinfo=UTC)),
        (LEAP_DAY, "7d", datetime(2024, 2, 22, tzinfo=UTC)),
        (LEAP_DAY, "24h", datetime(2024, 2, 28, tzinfo=UTC)),
        (LEAP_DAY, "30d", datetime(2024, 1, 30, tzinfo=UTC)),
        (datetime(2024, 3, 1, tzinfo=UTC), "day", LEAP_DAY),
        (datetime(2024, 3, 31, 12, tzinfo=UTC), "month", datetime(2024, 2, 29, 12, tzinfo=UTC)),
        (datetime(2023, 3, 31, tzinfo=UTC), "month", datetime(2023, 2, 28, tzinfo=UTC)),
        (datetime(2024, 1, 15, tzinfo=UTC), "month", datetime(2023, 12, 15, tzinfo=UTC)),
    ],
)
def test_ranges_begin_where_a_person_expects(now, range, expected):
    assert beginning_of(range, now) == expected


@pytest.mark.parametrize("range", ["fortnight", "0d", "7", "d", "7 d", "1000d", "-7d", "7d\n"])
def test_an_unknown_range_is_an_error(range):
    with pytest.raises(ValueError, match="any, day, week, month, year"):
        beginning_of(range, LEAP_DAY)


@given(
    st.datetimes(min_value=datetime(1970, 1, 1), timezones=st.just(timezone(timedelta(hours=-7)))),
    st.sampled_from(LONGER),
)
def test_a_longer_range_begins_earlier(now, range):
    order = [beginning_of(name, now) for name in LONGER]
    assert order == sorted(order, reverse=True)
    begin = beginning_of(range, now)
    assert begin is not None
    assert timedelta(0) < now - begin <= timedelta(days=366)
