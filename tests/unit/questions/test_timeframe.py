from datetime import UTC, datetime, timedelta, timezone
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ascertain.core.errors import UsageError
from ascertain.language.languages import ENGLISH
from ascertain.questions.timeframe import BEGINNING, find_timeframe

NOW = datetime(2026, 11, 21, 15, 30, tzinfo=UTC)
"""A Saturday."""


def day(text: str, zone: timezone | ZoneInfo = UTC) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=zone)


def days(question: str, now: datetime = NOW) -> tuple[str, str] | None:
    """The first day, and the one after the last."""
    frame = find_timeframe(question, ENGLISH, now)
    return (f"{frame.start:%Y-%m-%d}", f"{frame.end:%Y-%m-%d}") if frame else None


@pytest.mark.parametrize(
    ("question", "start", "end"),
    [
        ("how is crypt doing today?", "2026-11-21", "2026-11-22"),
        ("today's news", "2026-11-21", "2026-11-22"),
        ("what happened this morning", "2026-11-21", "2026-11-22"),
        ("how is bitcoin doing now?", "2026-11-20", "2026-11-22"),
        ("what do you know about bitcoin right now", "2026-11-20", "2026-11-22"),
        ("what fell yesterday", "2026-11-20", "2026-11-21"),
        ("the day before yesterday", "2026-11-19", "2026-11-20"),
        ("what broke last night", "2026-11-20", "2026-11-22"),
        ("news this week", "2026-11-16", "2026-11-23"),
        ("last week's news", "2026-11-09", "2026-11-16"),
        ("this weekend", "2026-11-21", "2026-11-23"),
        ("last weekend", "2026-11-14", "2026-11-16"),
        ("this month", "2026-11-01", "2026-12-01"),
        ("last month", "2026-10-01", "2026-11-01"),
        ("this quarter", "2026-10-01", "2027-01-01"),
        ("last quarter", "2026-07-01", "2026-10-01"),
        ("results this year", "2026-01-01", "2027-01-01"),
        ("year to date", "2026-01-01", "2027-01-01"),
        ("previous year", "2025-01-01", "2026-01-01"),
        ("in the last week", "2026-11-14", "2026-11-22"),
        ("over the past year", "2025-11-21", "2026-11-22"),
        ("last 30 days", "2026-10-22", "2026-11-22"),
        ("the past 2 weeks", "2026-11-07", "2026-11-22"),
        ("past couple of days", "2026-11-19", "2026-11-22"),
        ("in the last three months", "2026-08-21", "2026-11-22"),
        ("two weeks ago", "2026-11-02", "2026-11-09"),
        ("3 days ago", "2026-11-18", "2026-11-19"),
        ("a month ago", "2026-10-01", "2026-11-01"),
        ("since March", "2026-03-01", "2026-11-22"),
        ("since December", "2025-12-01", "2026-11-22"),
        ("since Monday", "2026-11-16", "2026-11-22"),
        ("since yesterday", "2026-11-20", "2026-11-22"),
        ("since last week", "2026-11-09", "2026-11-22"),
        ("since the beginning of the year", "2026-01-01", "2026-11-22"),
        ("last Monday", "2026-11-16", "2026-11-17"),
        ("last Saturday", "2026-11-14", "2026-11-15"),
        ("in March", "2026-03-01", "2026-04-01"),
        ("in November", "2026-11-01", "2026-12-01"),
        ("in December", "2025-12-01", "2026-01-01"),
        ("last November", "2025-11-01", "2025-12-01"),
        ("in March 2024", "2024-03-01", "2024-04-01"),
        ("early March, 2024", "2024-03-01", "2024-04-01"),
        ("Q3 2024 earnings", "2024-07-01", "2024-10-01"),
        ("2024 Q4", "2024-10-01", "2025-01-01"),
        ("the third quarter of 2024", "2024-07-01", "2024-10-01"),
        ("on 5 December 2024", "2024-12-05", "2024-12-06"),
        ("December 5th, 2024", "2024-12-05", "2024-12-06"),
        ("on the 5th of December", "2025-12-05", "2025-12-06"),
        ("on 2024-12-05", "2024-12-05", "2024-12-06"),
        ("Feb 29, 2024", "2024-02-29", "2024-03-01"),
        ("since 29 February", "2024-02-29", "2026-11-22"),
        ("before 2020-01-05", "1900-01-01", "2020-01-05"),
        ("until 5 January 2020", "1900-01-01", "2020-01-06"),
        ("after 5 January 2020", "2020-01-06", "2026-11-22"),
        ("between January and March 2024", "2024-01-01", "2024-04-01"),
        ("between November and March 2024", "2023-11-01", "2024-04-01"),
        ("from June to August", "2026-06-01", "2026-09-01"),
        ("from 3 March to 5 April 2025", "2025-03-03", "2025-04-06"),
        ("compare this week with last week", "2026-11-09", "2026-11-23"),
        ("yesterday's news on the 2022 crash of Terra in 2022", "2026-11-20", "2026-11-21"),
    ],
)
def test_reads_explicit_times(question: str, start: str, end: str):
    frame = find_timeframe(question, ENGLISH, NOW)
    assert frame is not None
    assert (frame.start, frame.end, frame.is_explicit) == (day(start), day(end), True)
    assert frame.phrase in question


@pytest.mark.parametrize(
    ("question", "start", "end"),
    [
        ("what did they earn in 2023", "2023-01-01", "2024-01-01"),
        ("what changed since 2023", "2023-01-01", "2026-11-22"),
        ("between 2019 and 2021", "2019-01-01", "2022-01-01"),
        ("the treaty of 5 May 1955", "1955-05-05", "1955-05-06"),
        ("in March 2011", "2011-03-01", "2011-04-01"),
        ("3 years ago", "2023-01-01", "2024-01-01"),
        ("is it open on Sunday", "2026-11-15", "2026-11-16"),
        ("is Cornish still spoken today?", "2026-11-21", "2026-11-22"),
    ],
)
def test_times_that_may_be_the_subject_are_not_explicit(question: str, start: str, end: str):
    frame = find_timeframe(question, ENGLISH, NOW)
    assert frame is not None
    assert (frame.start, frame.end, frame.is_explicit) == (day(start), day(end), False)
    assert "may be the subject" in frame.reason


@pytest.mark.parametrize(
    "question",
    [
        "how does the transformer work?",
        "what happened in the 2008 crisis",
        "may I march with them?",
        "what is new in version 2023",
        "set anthropic-version 2023-06-01",
        "what is claude-3-5-sonnet-2024-10-22",
        "now that it is done, how do I undo it",
        "what do I do now?",
        "how many were there until now",
        "who won Super Bowl 2016",
        "does it run on Windows 2000",
        "what does USA Today say",
        "who hosts the Tonight Show",
        'who sang "Yesterday" and "Last Friday Night"',
        "open from Monday to Friday",
        "what comes tomorrow, next week, in December 2027",
        "on 30 February",
        "in the last 9999 years",
        "who scored late in the fourth quarter",
        "the last week of the war",
        "is it due before Sunday",
        "until today",
        "a song of the year",
        "in 1861 words or 20 days",
        "",
    ],
)
def test_other_words_are_no_time(question: str):
    frame = find_timeframe(question, ENGLISH, NOW)
    assert frame is None or not frame.is_explicit


def test_days_back_overrides_the_question():
    frame = find_timeframe("news since 2020-01-01", ENGLISH, NOW, days_back=7)
    assert frame is not None
    assert (frame.start, frame.end) == (day("2026-11-14"), day("2026-11-22"))
    assert frame.is_explicit
    assert frame.phrase == "last 7 days"


@pytest.mark.parametrize("days_back", [0, -1, 366])
def test_days_back_out_of_range_is_refused(days_back: int):
    with pytest.raises(UsageError, match=f"{days_back}; give a number from 1 to 365"):
        find_timeframe("news", ENGLISH, NOW, days_back)


@pytest.mark.parametrize("days_back", [1, 365])
def test_days_back_at_the_ends_of_its_range(days_back: int):
    frame = find_timeframe("news", ENGLISH, NOW, days_back)
    assert frame is not None
    assert frame.start == day("2026-11-21") - timedelta(days=days_back)


def test_hours_count_from_the_moment():
    frame = find_timeframe("in the last 24 hours", ENGLISH, NOW)
    assert frame is not None
    assert frame.start == NOW - timedelta(hours=24)


def test_before_begins_where_every_index_can_follow():
    frame = find_timeframe("before 2020-01-05", ENGLISH, NOW)
    assert frame is not None
    assert frame.start == BEGINNING


@pytest.mark.parametrize(
    ("now", "question", "expected"),
    [
        ("2027-01-01", "yesterday", ("2026-12-31", "2027-01-01")),
        ("2027-01-01", "last week", ("2026-12-21", "2026-12-28")),
        ("2027-01-01", "this week", ("2026-12-28", "2027-01-04")),
        ("2027-01-01", "last month", ("2026-12-01", "2027-01-01")),
        ("2027-01-01", "last quarter", ("2026-10-01", "2027-01-01")),
        ("2027-01-01", "since December", ("2026-12-01", "2027-01-02")),
        ("2024-02-29", "today", ("2024-02-29", "2024-03-01")),
        ("2024-02-29", "over the past year", ("2023-02-28", "2024-03-01")),
        ("2024-02-29", "past 4 years", ("2020-02-29", "2024-03-01")),
        ("2025-03-31", "past month", ("2025-02-28", "2025-04-01")),
        ("2024-12-31", "this quarter", ("2024-10-01", "2025-01-01")),
        ("2026-11-16", "last Monday", ("2026-11-09", "2026-11-10")),
        ("2026-11-16", "last weekend", ("2026-11-14", "2026-11-16")),
        ("2026-11-22", "this week", ("2026-11-16", "2026-11-23")),
    ],
)
def test_ends_of_months_and_years(now: str, question: str, expected: tuple[str, str]):
    assert days(question, day(now)) == expected
    assert days(question, day(now) + timedelta(hours=23, minutes=59)) == expected


def test_days_begin_at_local_midnight_across_the_change_of_the_clocks():
    berlin = ZoneInfo("Europe/Berlin")
    frame = find_timeframe("today", ENGLISH, datetime(2026, 3, 29, 12, tzinfo=berlin))
    assert frame is not None
    assert (frame.start.astimezone(UTC), frame.end.astimezone(UTC)) == (
        datetime(2026, 3, 28, 23, tzinfo=UTC),
        datetime(2026, 3, 29, 22, tzinfo=UTC),
    )
    hours = find_timeframe("last 24 hours", ENGLISH, datetime(2026, 3, 29, 12, tzinfo=berlin))
    assert hours is not None
    assert hours.start == datetime(2026, 3, 28, 10, tzinfo=UTC)


def test_articles_dated_today_without_a_time_are_of_today_in_every_zone():
    for hours in range(-12, 15):
        zone = timezone(timedelta(hours=hours))
        frame = find_timeframe("today", ENGLISH, datetime(2026, 11, 21, 15, 30, tzinfo=zone))
        assert frame is not None
        assert frame.start <= day("2026-11-21") < frame.end


def test_moment_without_zone_is_utc():
    assert find_timeframe("today", ENGLISH, NOW.replace(tzinfo=None)) == find_timeframe("today", ENGLISH, NOW)


PIECES = st.sampled_from(
    "since after before until in on between and from to last past this two 3 30 9999 days weeks months quarter years ago"
    " March may December Feb. 29 31 5th of 2024 1861 2027 2024-12-05 2023-02-30 Q3 Q4 Monday Sunday today yesterday now"
    " weekend early the start of year bitcoin ? , “ ”".split()
)
MOMENTS = st.datetimes(
    min_value=datetime(1975, 1, 1), max_value=datetime(2100, 1, 1), timezones=st.timezones() | st.just(UTC)
)


@given(st.lists(PIECES, max_size=9).map(" ".join), MOMENTS)
def test_start_is_always_before_end(question: str, now: datetime):
    frame = find_timeframe(question, ENGLISH, now)
    if frame is not None:
        assert BEGINNING <= frame.start < frame.end
        assert frame.phrase in question


@given(st.text(max_size=200))
def test_any_text_can_be_read(question: str):
    find_timeframe(question, ENGLISH, NOW)


@given(st.integers(1, 365), MOMENTS)
def test_days_back_holds_the_present_moment(days_back: int, now: datetime):
    frame = find_timeframe("anything", ENGLISH, now, days_back)
    assert frame is not None
    assert frame.start <= now < frame.end
