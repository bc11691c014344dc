from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ascertain.core.status import format_count, format_size
from ascertain.ui.markup import format_ago, format_day, moment_of, recording_time, shorten_text

NOW = datetime(2024, 12, 5, 18, tzinfo=UTC)


@pytest.mark.parametrize(
    ("passed", "words"),
    [
        (timedelta(seconds=-5), "just now"),
        (timedelta(seconds=59), "just now"),
        (timedelta(minutes=5), "5 min ago"),
        (timedelta(hours=3), "3 h ago"),
        (timedelta(hours=30), "yesterday"),
        (timedelta(days=3), "2 December 2024"),
    ],
)
def test_past_moments_in_words(passed, words):
    assert format_ago((NOW - passed).isoformat(), NOW) == words


@pytest.mark.parametrize("text", [None, "", "soon", "2024-13-45"])
def test_what_is_no_moment_has_no_words(text):
    assert (moment_of(text), format_day(text), format_ago(text, NOW)) == (None, "", "")


def test_moment_without_a_zone_is_utc():
    assert moment_of("2024-12-05T18:00:00") == NOW


@pytest.mark.parametrize(("number", "words"), [(0, "0 documents"), (1, "1 document"), (2000, "2,000 documents")])
def test_counts(number, words):
    assert format_count(number, "document") == words


@pytest.mark.parametrize(("number", "words"), [(999, "999 B"), (2_200_000, "2.2 MB"), (5_000_000_000_000, "5.0 TB")])
def test_sizes(number, words):
    assert format_size(number) == words


@pytest.mark.parametrize(
    ("start", "end", "words"), [(None, None, ""), (6.5, None, "00:06"), (6.5, 3725, "00:06 to 1:02:05")]
)
def test_times_of_a_recording(start, end, words):
    assert recording_time(start, end) == words


@given(st.text(), st.integers(1, 50))
def test_shortened_is_one_short_line(text, characters):
    line = shorten_text(text, characters)
    assert len(line) <= characters
    assert "\n" not in line
