from datetime import UTC, date, datetime, timedelta, timezone

import pytest

from ascertain.documents.formats.drafts.metadata import parse_date, parse_pdf_date


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("2024-05-01", datetime(2024, 5, 1, tzinfo=UTC)),
        ("2024-05-01T10:20:30Z", datetime(2024, 5, 1, 10, 20, 30, tzinfo=UTC)),
        ("2024-05-01 10:20:30+02:00", datetime(2024, 5, 1, 10, 20, 30, tzinfo=timezone(timedelta(hours=2)))),
        ("2024-05-01 10:20 UTC", datetime(2024, 5, 1, 10, 20, tzinfo=UTC)),
        ("Wed, 01 May 2024 10:20:30 GMT", datetime(2024, 5, 1, 10, 20, 30, tzinfo=UTC)),
        ("23 May 2024", datetime(2024, 5, 23, tzinfo=UTC)),
        ("May 23, 2024", datetime(2024, 5, 23, tzinfo=UTC)),
        (1714558830, datetime(2024, 5, 1, 10, 20, 30, tzinfo=UTC)),
        ("1714558830000", datetime(2024, 5, 1, 10, 20, 30, tzinfo=UTC)),
        (date(2024, 5, 1), datetime(2024, 5, 1, tzinfo=UTC)),
        (datetime(2024, 5, 1, 1), datetime(2024, 5, 1, 1, tzinfo=UTC)),
    ],
)
def test_reads_common_forms(written, expected):
    assert parse_date(written) == expected


@pytest.mark.parametrize("written", ["", "soon", "2024-13-40", 7, True, None, [], "9" * 400, float("nan"), 1e300])
def test_gives_none_for_what_is_no_date(written):
    assert parse_date(written) is None


def test_reads_pdf_dates():
    assert parse_pdf_date("D:20240523193411Z") == datetime(2024, 5, 23, 19, 34, 11, tzinfo=UTC)
    assert parse_pdf_date("D:2024-junk") == datetime(2024, 1, 1, tzinfo=UTC)
    assert parse_pdf_date("D:20240102030405-05'30'").utcoffset() == -timedelta(hours=5, minutes=30)
    assert parse_pdf_date("yesterday") is None
    assert parse_pdf_date("D:20249999") is None
