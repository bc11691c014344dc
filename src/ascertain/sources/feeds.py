"""RSS and Atom feeds saved as files: one article an entry. Nothing is fetched; ``web.feeds`` does that for feeds on the web."""

from __future__ import annotations

from collections.abc import Iterator

from ascertain.sources.extraction import Extracted, SourceFile
from ascertain.sources.feed_entries import parse_feed


def read_feed(file: SourceFile) -> Iterator[Extracted]:
    """The entries that hold text; the others go to ``on_bad_row``. Raises SourceError when there is none."""
    try:
        feed = parse_feed(file.data())
    except ValueError as error:
        raise file.error(str(error)) from error
    good = 0
    for entry in feed.entries:
        try:
            extracted = entry.extracted(feed.title)
        except ValueError as error:
            file.options.on_bad_row(f"{file.source}#{entry.key}", str(error))
            continue
        good += 1
        yield extracted
    if not good:
        raise file.error("the feed has no entry with text")
