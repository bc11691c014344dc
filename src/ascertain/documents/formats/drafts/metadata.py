"""Dates as files write them, made time-zone aware; a date without a time is midnight UTC."""

import re
from datetime import UTC, date, datetime, timedelta, timezone
from email.utils import parsedate_to_datetime

_FORMATS = (
    "%d %B %Y",
    "%d %b %Y",
    "%B %d, %Y",
    "%b %d, %Y",
    "%B %d %Y",
    "%b. %d, %Y",
    "%Y/%m/%d",
    "%Y/%m/%d %H:%M:%S",
    "%Y.%m.%d",
    "%d.%m.%Y",
    "%B %Y",
)
_PDF = re.compile(r"D:(\d{4})(\d\d)?(\d\d)?(\d\d)?(\d\d)?(\d\d)?(?:([+-])(\d\d)'?(\d\d)?'?)?")
_ZONE_NAME = re.compile(r"(?:(?<!\s)\s+)?(?:UTC|GMT|Z)$", re.IGNORECASE)
_EARLIEST_EPOCH = 100_000_000
"""Smaller numbers (a bare year, a row number) are not taken for seconds since 1970."""


def parse_date(value: object) -> datetime | None:
    """A date, datetime, number of (milli)seconds since 1970 or text as an aware datetime; None when it is none."""
    if isinstance(value, datetime):
        return _make_aware(value)
    if isinstance(value, date):
        return datetime(value.year, value.month, value.day, tzinfo=UTC)
    if isinstance(value, int | float) and not isinstance(value, bool):
        return _from_epoch(float(value))
    if isinstance(value, str):
        return _from_text(value.strip()[:100])
    return None


def parse_pdf_date(value: str) -> datetime | None:
    """A PDF date, ``D:YYYYMMDDHHmmSS+HH'mm'`` (ISO 32000-1, 7.9.4), with any tail left out."""
    match = _PDF.match(value)
    if not match:
        return None
    year, month, day, hour, minute, second, sign, zone_hours, zone_minutes = match.groups()
    try:
        offset = timedelta(hours=int(zone_hours or 0), minutes=int(zone_minutes or 0))
        zone = timezone(-offset if sign == "-" else offset)
        parts = (int(year), int(month or 1), int(day or 1), int(hour or 0), int(minute or 0), int(second or 0))
        return datetime(*parts, tzinfo=zone)
    except ValueError:
        return None


def _from_text(text: str) -> datetime | None:
    if re.fullmatch(r"\d{9,13}(\.\d+)?", text):
        return _from_epoch(float(text))
    for candidate in (text, _ZONE_NAME.sub("+00:00", text)):
        try:
            return _make_aware(datetime.fromisoformat(candidate))
        except ValueError:
            continue
    try:
        return _make_aware(parsedate_to_datetime(text))
    except (ValueError, TypeError, IndexError, OverflowError):
        pass
    bare = _ZONE_NAME.sub("", text)
    for form in _FORMATS:
        try:
            return datetime.strptime(bare, form).replace(tzinfo=UTC)
        except ValueError:
            continue
    return None


def _from_epoch(seconds: float) -> datetime | None:
    if seconds > 100_000_000_000:
        seconds /= 1000
    if not seconds >= _EARLIEST_EPOCH:
        return None
    try:
        return datetime.fromtimestamp(seconds, UTC)
    except (ValueError, OverflowError, OSError):
        return None


def _make_aware(moment: datetime) -> datetime:
    return moment if moment.utcoffset() is not None else moment.replace(tzinfo=UTC)
