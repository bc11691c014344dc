"""Tables of articles: JSON Lines, JSON lists, CSV and TSV. One document a row.

A bad row (not JSON, no text, over the limit) is told to ``on_bad_row`` and skipped; a file without any good row
is an error. Lines are read one at a time, so a table may be far larger than one document.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import cast

from ascertain.core.errors import SourceError
from ascertain.sources.articles import article, has_article_fields, is_article
from ascertain.sources.decoding import decode, text_of
from ascertain.sources.extraction import Extracted, SourceFile
from ascertain.sources.segments import find_segments, read_segments

_EXPECTED = "expected fields title, summary, content, url, source, published_at"


def read_json_lines(file: SourceFile) -> Iterator[Extracted]:
    """One document for each line that holds a JSON object; a line may also hold a whole transcript."""
    limit = 4 * file.options.max_characters
    yield from _good_rows(file, _json_rows(file, limit))


def read_json(file: SourceFile) -> Iterator[Extracted]:
    """A transcript's segments, a list of articles, or one article."""
    text = text_of(file)
    try:
        value: object = json.loads(text)
    except json.JSONDecodeError as error:
        if "\n" in text and error.msg.startswith("Extra data"):
            yield from read_json_lines(file)
            return
        raise file.error(f"not valid JSON: {error.msg} (column {error.colno})", error.lineno) from error
    segments = find_segments(value)
    if segments is not None:
        yield read_segments(file, value, segments)
        return
    rows = _article_rows(value)
    if rows is None:
        raise file.error(f"neither a list of articles nor a transcript; {_EXPECTED}, or segments with text")
    yield from _good_rows(file, ((str(number), row) for number, row in enumerate(rows, 1)))


def read_csv(file: SourceFile) -> Iterator[Extracted]:
    """One document for each row under a header line; the delimiter is found by looking."""
    text = text_of(file)
    # The library's limit of 131,072 characters is less than a long article.
    csv.field_size_limit(max(131_072, file.options.max_characters))
    try:
        dialect = csv.Sniffer().sniff(text.split("\n", 1)[0], delimiters=",;\t|")
        delimiter = dialect.delimiter
    except csv.Error:
        delimiter = ","
    # Without NULs (which csv refuses before Python 3.11.4) and with line ends left to the csv module.
    rows = csv.reader(io.StringIO(text.replace("\0", ""), newline=""), delimiter=delimiter)
    try:
        header = [name.strip().lstrip("\ufeff") for name in next(rows, list[str]())]
        if not has_article_fields(dict.fromkeys(header)):
            raise file.error(f"no known column in the first line; {_EXPECTED}", 1)
        yield from _good_rows(file, _csv_rows(header, rows))
    except csv.Error as error:
        raise file.error(f"not a table: {error}; check its quoting", rows.line_num) from error


def _json_rows(file: SourceFile, limit: int) -> Iterator[tuple[str, object]]:
    """(row number, parsed line or the reason why not) of each line that is not blank."""
    with file.path.open("rb") as lines:
        number = 0
        while line := lines.readline(limit + 1):
            number += 1
            if len(line) > limit:
                while line and not line.endswith(b"\n"):
                    line = lines.readline(limit + 1)
                yield str(number), ValueError(f"longer than {limit:,} bytes")
                continue
            if not line.strip():
                continue
            try:
                yield str(number), json.loads(decode(line))
            except (ValueError, RecursionError) as error:
                yield str(number), ValueError(f"not valid JSON: {error}")


def _csv_rows(header: list[str], rows: Iterable[list[str]]) -> Iterator[tuple[str, object]]:
    for number, row in enumerate(rows, 2):
        if not any(cell.strip() for cell in row):
            continue
        if len(row) > len(header):
            yield str(number), ValueError(f"{len(row)} cells under {len(header)} columns")
        else:
            yield str(number), dict(zip(header, row, strict=False))


def _article_rows(value: object) -> list[object] | None:
    if isinstance(value, list):
        return cast("list[object]", value)
    if not isinstance(value, dict):
        return None
    table = cast("dict[str, object]", value)
    for name in ("articles", "items", "data", "results", "documents"):
        if isinstance(table.get(name), list):
            return cast("list[object]", table[name])
    return [table] if is_article(table) else None


def _good_rows(file: SourceFile, rows: Iterable[tuple[str, object]]) -> Iterator[Extracted]:
    """The articles of the good rows; bad ones are reported. Raises SourceError when no row is good."""
    good = 0
    first_reason: str | None = None
    for number, row in rows:
        try:
            extracted = _row(file, row, number)
        except (ValueError, SourceError) as error:
            first_reason = first_reason or f"row {number}: {error}"
            file.options.on_bad_row(f"{file.source}#{number}", str(error))
            continue
        good += 1
        yield extracted
    if not good:
        raise file.error(f"no row could be read ({first_reason or 'there are none'}); {_EXPECTED}")


def _row(file: SourceFile, row: object, number: str) -> Extracted:
    if isinstance(row, ValueError):
        raise row
    if not isinstance(row, dict):
        raise ValueError("not an object with named fields")  # noqa: TRY004 - a bad row, not a bad call
    fields = cast("dict[str, object]", row)
    segments = find_segments(fields)
    if segments is not None:
        extracted = replace(read_segments(file, fields, segments), row=number)
    else:
        extracted = article(fields, number)
    if len(extracted.text) > file.options.max_characters:
        raise ValueError(f"longer than {file.options.max_characters:,} characters")
    return extracted
