"""Numbers, paths and dates as people read them."""

from __future__ import annotations

from datetime import datetime


def count(number: int, noun: str, plural: str | None = None) -> str:
    """``1 document``, ``2,000 documents``."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def size(number: int) -> str:
    """``3.4 MB``, in powers of 1000."""
    amount = float(number)
    for unit in ("B", "kB", "MB", "GB"):
        if amount < 1000:
            return f"{amount:.0f} {unit}" if unit == "B" else f"{amount:.1f} {unit}"
        amount /= 1000
    return f"{amount:.1f} TB"


def shorten_path(path: str, width: int) -> str:
    """The end of a path, ``…/notes/a.md``, in at most ``width`` columns."""
    return path if len(path) <= width else "…" + path[-(width - 1) :]


def date(moment: datetime | None) -> str:
    """``2024-12-05``, with the time of day when it has one; empty for None."""
    if moment is None:
        return ""
    return moment.strftime("%Y-%m-%d" if (moment.hour, moment.minute) == (0, 0) else "%Y-%m-%d %H:%M")


def duration(seconds: float) -> str:
    """``0.3 s``, ``2 min 05 s``."""
    if seconds < 60:
        return f"{seconds:.1f} s"
    return f"{int(seconds) // 60} min {int(seconds) % 60:02d} s"


def printable(text: str) -> str:
    """One line without control characters, so that a document cannot send escape sequences to a terminal."""
    return "".join(
        character if character.isprintable() else "\N{REPLACEMENT CHARACTER}"
        for character in " ".join(text.split())
    )
