"""Dates and filters as written on the command line."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from ascertain.core.errors import UsageError

if TYPE_CHECKING:
    from ascertain.cli.options import FilterOptions
    from ascertain.core.filters import Filter


def build_filter(options: FilterOptions) -> Filter:
    """The filter that the options describe; raises UsageError for a date that is none."""
    from ascertain.cli.options import MaterialOptions
    from ascertain.core.filters import Filter

    start = parse_moment(options.since, "--since") if options.since is not None else None
    end = parse_moment(options.before, "--before") if options.before is not None else None
    if start and end and start >= end:
        raise UsageError(
            f"--since {options.since} is not before --before {options.before}: nothing can match"
        )
    return Filter(
        document_ids=tuple(options.document or ()),
        kinds=tuple(options.kind or ()),
        sources=tuple(name for source in options.source or () for name in _sources(source)),
        tags=tuple(options.tag or ()),
        published_from=start,
        published_before=end,
        conversation_id=options.conversation if isinstance(options, MaterialOptions) else None,
    )


def parse_moment(text: str, option: str) -> datetime:
    """An ISO 8601 date or time, time-zone aware (UTC when it names no zone); UsageError otherwise."""
    try:
        moment = datetime.fromisoformat(text.strip())
    except ValueError:
        raise UsageError(
            f"{option} {text!r} is not a date; write it as 2024-12-05 or 2024-12-05T14:30"
        ) from None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def _sources(source: str) -> tuple[str, ...]:
    """A path that exists is made absolute, as ingest stores it, and a file brings its rows; the rest is left as it is."""
    path = Path(source).expanduser()
    if path.is_file():
        return str(path.resolve()), f"{path.resolve()}#*"
    return (str(path.resolve()) if path.exists() else source,)
