"""Dates, times, sizes and counts as people read them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from ascertain.core.documents import clock_time


def day(moment: str | None) -> str:
    """``5 December 2024`` for an ISO 8601 moment; empty for None and for what is none."""
    parsed = moment_of(moment)
    return f"{parsed:%-d %B %Y}" if parsed else ""


def ago(moment: str | None, now: datetime) -> str:
    """How long ago: ``just now``, ``5 min ago``, ``3 h ago``, ``yesterday``, or the day."""
    parsed = moment_of(moment)
    if parsed is None:
        return ""
    passed = now - parsed
    if passed < timedelta(minutes=1):
        return "just now"
    if passed < timedelta(hours=1):
        return f"{int(passed.total_seconds()) // 60} min ago"
    if passed < timedelta(days=1):
        return f"{int(passed.total_seconds()) // 3600} h ago"
    return "yesterday" if passed < timedelta(days=2) else day(moment)


def moment_of(text: str | None) -> datetime | None:
    """An ISO 8601 moment with a zone, UTC where it names none; None for what is no moment."""
    try:
        parsed = datetime.fromisoformat(text) if text else None
    except ValueError:
        return None
    return parsed.replace(tzinfo=UTC) if parsed and parsed.tzinfo is None else parsed


def count(number: int, noun: str) -> str:
    """``1 document``, ``2,000 documents``."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def size(number: int) -> str:
    """``3.4 MB``, in powers of 1000."""
    amount = float(number)
    for unit in ("B", "kB", "MB", "GB"):
        if amount < 1000:
            return f"{amount:.0f} {unit}" if unit == "B" else f"{amount:.1f} {unit}"
        amount /= 1000
    return f"{amount:.1f} TB"


def recording_time(start: float | None, end: float | None) -> str:
    """``03:46 to 04:10`` of a recording; empty when not known."""
    if start is None:
        return ""
    return clock_time(start) if end is None else f"{clock_time(start)} to {clock_time(end)}"


def shortened(text: str, characters: int) -> str:
    """One line of at most ``characters``."""
    line = " ".join(text.split())
    return line if len(line) <= characters else line[: characters - 1].rstrip() + "…"
