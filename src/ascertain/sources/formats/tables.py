"""Tables: JSON Lines, JSON lists, CSV and TSV. Articles are one document a row; any other CSV is one document.

A bad row (not JSON, no text, over the limit) is told to ``on_bad_row`` and skipped; a file without any good row
is an error. Lines are read one at a time, so a table may be far larger than one document.
"""

import csv
import io
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import cast

from ascertain.core.blocks import Block
from ascertain.core.documents import DocumentKind
from ascertain.core.errors import SourceError
from ascertain.language.tables import BLANK, join_cells
from ascertain.sources.formats.draft import clean_line, clean_text, short_line
from ascertain.sources.formats.encodings import LineDecoder
from ascertain.sources.formats.metadata import parse_date
from ascertain.sources.formats.reader import Extracted, SourceFile, text_of
from ascertain.sources.formats.transcripts import find_segments, read_segments

_HEADLINE = ("title", "headline")
_TITLE = (*_HEADLINE, "name", "subject")
_SUMMARY = ("summary", "description", "abstract", "excerpt", "subtitle", "snippet")
_CONTENT = ("content", "body", "text", "article", "full_text", "content_text", "passage")
_URL = ("url", "link", "canonical_url", "href", "permalink")
_AUTHOR = ("author", "authors", "byline", "creator")
_PUBLISHER = ("source", "publisher", "source_name", "site", "outlet")
_DATE = ("published_at", "publishedat", "published", "date", "pub_date", "pubdate", "published_date", "created_at")
_TAGS = ("tags", "keywords", "categories", "category", "topics", "topic")


def is_article(fields: Mapping[str, object]) -> bool:
    """Whether a single object is an article and not some program's data, which often has a name too."""
    return any(_field_key(name) in (*_CONTENT, *_HEADLINE) for name in fields)


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
    blocks: tuple[Block, ...] = ()
    return Extracted(
        clean_text("\n\n".join(parts)),
        title=title,
        kind=DocumentKind.ARTICLE,
        author=author,
        published_at=parse_date(_first_value(values, _DATE)),
        url=url if url and url.startswith(("http://", "https://")) else None,
        tags=_read_tags(_first_value(values, _TAGS)),
        blocks=blocks,
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
        raise file.error(f"not valid JSON: {_describe_json_error(error)}", error.lineno) from error
    segments = find_segments(value)
    if segments is not None:
        yield read_segments(file, value, segments)
        return
    rows = _article_rows(value)
    if rows is None:
        raise file.error(f"neither a list of articles nor a transcript; {_EXPECTED}, or segments with text")
    yield from _good_rows(file, ((str(number), row) for number, row in enumerate(rows, 1)))


_JSON_ERRORS = {
    "Expecting value": "a value is missing",
    "Expecting property name": "a name in double quotes is missing",
    "Expecting ',' delimiter": "a comma is missing",
    "Expecting ':' delimiter": "a colon is missing",
    "Unterminated string": "a text is begun and not ended",
    "Invalid control character": "a text holds a control character or a line break",
    "Invalid \\": "a backslash stands before something it cannot stand for",
    "Extra data": "something follows its end",
    "Illegal trailing comma": "a comma stands before the end of a list",
}
"""What Python's parser says, by its beginning, in our words."""


def _describe_json_error(error: json.JSONDecodeError) -> str:
    said = (ours for theirs, ours in _JSON_ERRORS.items() if error.msg.startswith(theirs))
    return f"{next(said, 'it is damaged')} (column {error.colno})"


def read_csv(file: SourceFile) -> Iterator[Extracted]:
    """The articles, one document for each row under a header line, or else the table; the delimiter is found by looking.

    No column is lost: what an article has no place for stands at the end of its text, with the name of its column.
    """
    text = text_of(file)
    # The library's limit of 131,072 characters is less than a long article.
    csv.field_size_limit(max(131_072, file.options.max_characters))
    try:
        dialect = csv.Sniffer().sniff(text[:_LONGEST_HEADER].split("\n", 1)[0], delimiters=",;\t|")
        delimiter = dialect.delimiter
    except csv.Error:
        delimiter = ","
    # Without NULs, which csv refuses before Python 3.11.4.
    rows = _CsvRows(file, text.replace("\0", ""), delimiter)
    header = [name.lstrip("\ufeff") for name in rows.header]
    if _has_articles(header):
        yield from _good_rows(file, _csv_rows(header, rows), _add_other_columns)
    elif len(header) > 1:
        yield from _build_tables(file, header, rows)
    else:
        raise file.error(f"no known column in the first line; {_EXPECTED}, or several columns", 1)


_LONGEST_HEADER = 10_000
"""Characters of a first line in which the delimiter is looked for; some hundred columns."""
_MOST_OPEN = 20
"""Rows with a quote left open after which a file is given up: what they swallow is read again for each of them."""
_SWALLOWED_SAMPLE = 1000


class _CsvRows:
    """The rows below the header: cells, or a ValueError that says why a row is left out.

    A quote that is opened and not closed makes a cell of everything up to the next quote, or to the end. Such a row is
    told by quoting that is wrong where it ends and lines in it that are rows by themselves; they are read as rows.
    """

    def __init__(self, file: SourceFile, text: str, delimiter: str) -> None:
        self._file = file
        # with line ends left to the csv module
        self._text = io.StringIO(text, newline="")
        self._size = len(text)
        self._delimiter = delimiter
        self._taken: list[str] = []
        self._line = 0
        self._open_quotes = 0
        self._reader = csv.reader(self._take_lines(), delimiter=delimiter)
        self.header = [name.strip() for name in self._next_row() or ()]

    def __iter__(self) -> Iterator[list[str] | ValueError]:
        while True:
            self._taken.clear()
            row = self._next_row()
            if not self._taken:
                return
            if len(self._taken) > 1 and (reason := self._mend_open_quote()):
                yield ValueError(reason)
            elif row is None:
                raise self._file.error(
                    "not a table: a cell is longer than any text may be; mend its quoting", self._line
                )
            else:
                yield row

    def _take_lines(self) -> Iterator[str]:
        for line in self._text:
            self._taken.append(line)
            self._line += 1
            yield line

    def _next_row(self) -> list[str] | None:
        """None at the end, and for a row that csv refuses for its length."""
        try:
            return next(self._reader, None)
        except csv.Error:
            return None

    def _mend_open_quote(self) -> str | None:
        """Go on behind the line that opened a quote which the row does not close; why the row is left out."""
        try:
            for _ in csv.reader(self._taken, delimiter=self._delimiter, strict=True):
                pass
        except csv.Error:
            pass
        else:
            return None
        beyond = len(self._taken) - 1
        first = self._line - beyond
        opened = f"a quote is opened in line {first} and not closed"
        swallowed = [line for line in self._taken[1:_SWALLOWED_SAMPLE] if line.strip()]
        is_end = self._text.tell() == self._size
        if 2 * sum(self._is_row(line) for line in swallowed) > len(swallowed):
            self._open_quotes += 1
            if self._open_quotes > _MOST_OPEN:
                raise self._file.error(f"quotes are left open in more than {_MOST_OPEN} rows; mend its quoting", first)
            self._text.seek(self._text.tell() - sum(map(len, self._taken[1:])))
            self._line = first
            self._reader = csv.reader(self._take_lines(), delimiter=self._delimiter)
            return f"{opened}; the row was left out"
        return f"{opened}; {beyond + 1:,} lines up to the end of the file were left out" if is_end else None

    def _is_row(self, line: str) -> bool:
        if line.count(self._delimiter) == len(self.header) - 1:
            return True
        try:
            cells = next(csv.reader([line], delimiter=self._delimiter))
        except csv.Error:
            return False
        return len(cells) == len(self.header)


def _has_articles(header: Sequence[str]) -> bool:
    """Whether the rows are articles: texts, or titles with what an article has besides; stock lists have names too."""
    names = {_field_key(name) for name in header}
    if not names.isdisjoint(_CONTENT):
        return True
    return not names.isdisjoint(_HEADLINE) and (len(names) == 1 or not names.isdisjoint((*_SUMMARY, *_URL, *_DATE)))


def _add_other_columns(article: Extracted, fields: Mapping[str, object]) -> Extracted:
    """``article``, read from ``fields``, with those of them that it does not hold yet as a last paragraph."""
    values = {_field_key(name): value for name, value in fields.items()}
    groups = (_TITLE, _SUMMARY, _CONTENT, _URL, (*_AUTHOR, *_PUBLISHER), _TAGS)
    read = {next((name for name in group if values.get(name)), "") for group in groups}
    if article.published_at:
        read.add(next(name for name in _DATE if values.get(name)))
    others = [
        f"{name}: {cell}"
        for name, value in fields.items()
        if _field_key(name) not in read and (cell := clean_line(str(value or "")))
    ]
    # At its end, so that the blocks of a transcript stay where they are.
    return replace(article, text=f"{article.text}\n\n{join_cells(others)}") if others else article


PART_CHARACTERS = 500_000
"""Characters of a document that is a part of a table, some 5,000 rows: what one person may still look through."""


def _build_tables(
    file: SourceFile, header: Sequence[str], rows: Iterable[Sequence[str] | ValueError]
) -> Iterator[Extracted]:
    """The table as text, a row a line under its header; a long one in parts, each of them with the header."""
    names = [clean_line(name) or f"column {number}" for number, name in enumerate(header, 1)]
    head, limit = join_cells(names), min(PART_CHARACTERS, file.options.max_characters)
    lines: list[str] = []
    length, first, last = len(head), 2, 1
    for number, row in enumerate(rows, 2):
        if isinstance(row, ValueError):
            file.options.on_bad_row(f"{file.source}#{number}", str(row))
            continue
        line = join_cells([clean_line(cell) for cell in row])
        if not line:
            continue
        reason = f"{len(row)} cells under {len(names)} columns" if len(row) > len(names) else None
        if len(head) + 1 + len(line) > limit:
            reason = f"longer than {limit:,} characters"
        if reason:
            file.options.on_bad_row(f"{file.source}#{number}", reason)
            continue
        line += f" | {BLANK}" * (len(names) - len(row))
        if length + 1 + len(line) > limit:
            yield _build_part(head, lines, f"{first}-{last}")
            lines, length, first = [], len(head), number
        lines.append(line)
        length, last = length + 1 + len(line), number
    if not lines:
        raise file.error("no row could be read below the header")
    yield _build_part(head, lines, None if first == 2 else f"{first}-{last}")


def _build_part(head: str, lines: Sequence[str], row: str | None) -> Extracted:
    return Extracted("\n".join((head, *lines)), row=row)


def _json_rows(file: SourceFile, limit: int) -> Iterator[tuple[str, object]]:
    """(row number, parsed line or the reason why not) of each line that is not blank."""
    decoder = LineDecoder(file.notes)
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
                yield str(number), json.loads(decoder.decode(line))
            except json.JSONDecodeError as error:
                yield str(number), ValueError(f"not valid JSON: {_describe_json_error(error)}")
            except RecursionError:
                yield str(number), ValueError("nested too deeply to be read")
            except ValueError as error:
                yield str(number), ValueError(f"not valid JSON: {error}")


def _csv_rows(header: list[str], rows: Iterable[list[str] | ValueError]) -> Iterator[tuple[str, object]]:
    for number, row in enumerate(rows, 2):
        if isinstance(row, ValueError):
            yield str(number), row
        elif not any(cell.strip() for cell in row):
            continue
        elif len(row) > len(header):
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


def _leave_as_read(article: Extracted, fields: Mapping[str, object]) -> Extracted:
    """JSON has fields for programs, that nobody would read in an article."""
    return article


def _good_rows(
    file: SourceFile,
    rows: Iterable[tuple[str, object]],
    complete: Callable[[Extracted, Mapping[str, object]], Extracted] = _leave_as_read,
) -> Iterator[Extracted]:
    """The articles of the good rows, each completed from its fields; bad ones are reported.

    Raises SourceError when no row is good.
    """
    good = 0
    first_reason: str | None = None
    for number, row in rows:
        try:
            extracted = _read_row(file, row, number, complete)
        except (ValueError, SourceError) as error:
            first_reason = first_reason or f"row {number}: {error}"
            file.options.on_bad_row(f"{file.source}#{number}", str(error))
            continue
        good += 1
        yield extracted
    if not good:
        raise file.error(f"no row could be read ({first_reason or 'there are none'}); {_EXPECTED}")


def _read_row(
    file: SourceFile, row: object, number: str, complete: Callable[[Extracted, Mapping[str, object]], Extracted]
) -> Extracted:
    if isinstance(row, ValueError):
        raise row
    if not isinstance(row, dict):
        raise ValueError("not an object with named fields")  # noqa: TRY004 - a bad row, not a bad call
    fields = cast("dict[str, object]", row)
    segments = find_segments(fields)
    if segments is not None:
        extracted = replace(read_segments(file, fields, segments), row=number)
    else:
        extracted = complete(read_article(fields, number), fields)
    if len(extracted.text) > file.options.max_characters:
        raise ValueError(f"longer than {file.options.max_characters:,} characters")
    return extracted
