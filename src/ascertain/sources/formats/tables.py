"""Tables of articles: JSON Lines, JSON lists, CSV and TSV. One document a row.

A bad row (not JSON, no text, over the limit) is told to ``on_bad_row`` and skipped; a file without any good row
is an error. Lines are read one at a time, so a table may be far larger than one document.
"""

import csv
import io
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import cast

from ascertain.core.documents import DocumentKind, Region
from ascertain.core.errors import SourceError
from ascertain.sources.formats.draft import clean_line, clean_text, short_line
from ascertain.sources.formats.metadata import parse_date
from ascertain.sources.formats.reader import Extracted, SourceFile, decode_text, text_of
from ascertain.sources.formats.transcripts import find_segments, read_segments

_TITLE = ("title", "headline", "name", "subject")
_SUMMARY = ("summary", "description", "abstract", "excerpt", "subtitle", "snippet")
_CONTENT = ("content", "body", "text", "article", "full_text", "content_text", "passage")
_URL = ("url", "link", "canonical_url", "href", "permalink")
_AUTHOR = ("author", "authors", "byline", "creator")
_PUBLISHER = ("source", "publisher", "source_name", "site", "outlet")
_DATE = ("published_at", "publishedat", "published", "date", "pub_date", "pubdate", "published_date", "created_at")
_TAGS = ("tags", "keywords", "categories", "category", "topics", "topic")
_KNOWN_TEXT = frozenset((*_TITLE, *_SUMMARY, *_CONTENT))


def has_article_fields(names: Mapping[str, object]) -> bool:
    """Whether the fields look like those of an article."""
    return any(_field_key(name) in _KNOWN_TEXT for name in names)


def is_article(fields: Mapping[str, object]) -> bool:
    """Whether a single object is an article and not some program's data, which often has a name too."""
    return any(_field_key(name) in (*_CONTENT, "title", "headline") for name in fields)


def read_article(fields: Mapping[str, object], row: str) -> Extracted:
    """The article in ``fields``. Raises ValueError, with the reason, when they hold no text.

    Its text is title, summary and content, a paragraph each, what is repeated left out.
    """
    values = {_field_key(name): value for name, value in fields.items()}
    title = short_line(_first_value(values, _TITLE))
    summary = _clean_value(_first_value(values, _SUMMARY))
    content = _clean_value(_first_value(values, _CONTENT))
    if not (title or summary or content):
        raise ValueError("no title, summary or content in it")
    # News feeds give the first words of the content as the summary.
    if content.startswith(summary.rstrip(". …")):
        summary = ""
    parts = [part for part in (title or "", summary, content) if part]
    if len(parts) > 1 and parts[1].startswith(parts[0]):
        del parts[0]
    author = _join_names(_first_value(values, _AUTHOR)) or _join_names(_first_value(values, _PUBLISHER))
    url = short_line(_first_value(values, _URL), 2000)
    regions: tuple[Region, ...] = ()
    return Extracted(
        clean_text("\n\n".join(parts)),
        title=title,
        kind=DocumentKind.ARTICLE,
        author=author,
        published_at=parse_date(_first_value(values, _DATE)),
        url=url if url and url.startswith(("http://", "https://")) else None,
        tags=_read_tags(_first_value(values, _TAGS)),
        regions=regions,
        row=row,
    )


def _field_key(name: object) -> str:
    return str(name).strip().lower().replace(" ", "_").replace("-", "_")


def _first_value(values: Mapping[str, object], names: tuple[str, ...]) -> object:
    return next((values[name] for name in names if values.get(name) not in (None, "", [])), None)


def _clean_value(value: object) -> str:
    if isinstance(value, list):
        return "\n\n".join(_clean_value(item) for item in cast("list[object]", value) if isinstance(item, str)).strip()
    return clean_text(value) if isinstance(value, str) else ""


def _join_names(value: object) -> str | None:
    if isinstance(value, dict):
        value = cast("dict[object, object]", value).get("name")
    if isinstance(value, list):
        names = [name for item in cast("list[object]", value)[:20] if (name := _join_names(item))]
        return ", ".join(names) or None
    return short_line(value)


def _read_tags(value: object) -> tuple[str, ...]:
    if isinstance(value, str):
        value = value.replace(";", ",").split(",")
    if not isinstance(value, list):
        return ()
    lines = (short_line(item, 60) for item in cast("list[object]", value)[:50])
    return tuple(dict.fromkeys(clean_line(line) for line in lines if line))


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
                yield str(number), json.loads(decode_text(line))
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
            extracted = _read_row(file, row, number)
        except (ValueError, SourceError) as error:
            first_reason = first_reason or f"row {number}: {error}"
            file.options.on_bad_row(f"{file.source}#{number}", str(error))
            continue
        good += 1
        yield extracted
    if not good:
        raise file.error(f"no row could be read ({first_reason or 'there are none'}); {_EXPECTED}")


def _read_row(file: SourceFile, row: object, number: str) -> Extracted:
    if isinstance(row, ValueError):
        raise row
    if not isinstance(row, dict):
        raise ValueError("not an object with named fields")  # noqa: TRY004 - a bad row, not a bad call
    fields = cast("dict[str, object]", row)
    segments = find_segments(fields)
    if segments is not None:
        extracted = replace(read_segments(file, fields, segments), row=number)
    else:
        extracted = read_article(fields, number)
    if len(extracted.text) > file.options.max_characters:
        raise ValueError(f"longer than {file.options.max_characters:,} characters")
    return extracted
