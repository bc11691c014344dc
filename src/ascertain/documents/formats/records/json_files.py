"""JSON of any shape: articles, transcripts and conversations as what they are, records as tables, everything else by its keys.

Records that are rows become one table with all their fields as columns, as the same rows in a CSV file. Settings are lines under the
first key of their path (``server.port: 8080``).
"""

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice

from ascertain.core.documents.blocks import BlockKind
from ascertain.documents.formats.drafts.draft import Draft, clean_line
from ascertain.documents.formats.drafts.losses import Losses
from ascertain.documents.formats.files.encodings import LineDecoder
from ascertain.documents.formats.reader import Extracted, SourceFile, text_of
from ascertain.documents.formats.records.articles import is_article, read_articles, write_field
from ascertain.documents.formats.records.shapes import (
    NumberedRecord,
    Record,
    as_list,
    as_record,
    count_shapes,
    find_records,
    flatten_record,
    list_records,
)
from ascertain.documents.formats.records.tables import PART_CHARACTERS, NumberedRow, build_tables
from ascertain.documents.formats.speech.conversations import find_conversations
from ascertain.documents.formats.speech.segments import find_segments, read_segments

_SAMPLE = 200
"""Records by which a file of many is judged."""
_MOST_PADDING = 20
"""Cells of a table to one that holds something; records of so many different fields stand with the names of their fields."""
_USUAL_KEYS = ("", "data", "items", "results", "records", "rows", "features", "values", "entries", "objects")
"""Keys that say nothing of what lies under them."""


def read_json_lines(file: SourceFile) -> Iterator[Extracted]:
    """A table of the records on the lines, or a document for each line that holds an article, a transcript or a conversation."""
    limit = 4 * file.options.max_characters
    rows = _json_rows(file, limit)
    top = list(islice(rows, _SAMPLE))
    records = list_records([row for _, row in top])
    if records and all(find_conversations(record) for record in records):
        yield from _line_conversations(file, chain(top, rows))
    elif not records or _are_articles(records) or any(find_segments(record) for record in records):
        yield from read_articles(file, chain(top, rows))
    else:
        yield from _build_lines(file, [*top, *rows])


def _line_conversations(file: SourceFile, rows: Iterable[tuple[str, object]]) -> Iterator[Extracted]:
    for number, row in rows:
        found = find_conversations(row)
        for each in found or ():
            yield each.with_row(number)
        if not found:
            reason = str(row) if isinstance(row, ValueError) else "no messages in it"
            file.options.on_bad_row(f"{file.source}#{number}", reason)


def _build_lines(file: SourceFile, rows: Sequence[tuple[str, object]]) -> Iterator[Extracted]:
    """The table of all lines; what is no object stands in a column of its own."""
    records: list[tuple[str, dict[str, str] | ValueError]] = []
    for number, row in rows:
        record = as_record(row)
        fields = {"": write_field(row)} if record is None else flatten_record(record)
        records.append((number, row if isinstance(row, ValueError) else fields))
    yield from _build_records(file, records, Extracted(""))


def read_json(file: SourceFile) -> Iterator[Extracted]:
    """The documents of one JSON value. Raises SourceError for what is not JSON; comments and commas too many are overlooked."""
    text = text_of(file)
    try:
        value: object = json.loads(text)
    except json.JSONDecodeError as error:
        if "\n" in text and error.msg.startswith("Extra data"):
            yield from read_json_lines(file)
            return
        value = _read_loosely(file, text, error)
    conversations = find_conversations(value)
    if conversations:
        for number, each in enumerate(conversations, 1):
            yield each.with_row(str(number))
        return
    segments = find_segments(value)
    if segments is not None:
        yield read_segments(file, value, segments)
        return
    articles = _find_articles(value)
    if articles is not None:
        yield from read_articles(file, ((str(number), row) for number, row in enumerate(articles, 1)))
        return
    yield from _build_value(file, value)


# What is begun and not ended goes on to the end, so that nothing is looked at twice.
_COMMENT_OR_STRING = re.compile(r'("(?:[^"\\]|\\.)*+(?:"|\\?\Z))|//[^\n]*|/\*(?:[^*]|\*(?!/))*+(?:\*/|\Z)', re.DOTALL)
_PIECE = re.compile(r'"(?:[^"\\]|\\.)*+(?:"|\\?\Z)|[^\s",\]}]+|\s+|[,\]}]', re.DOTALL)


def _read_loosely(file: SourceFile, text: str, error: json.JSONDecodeError) -> object:
    """The value of a file with comments, or with commas behind the last of its values, as settings of programs have them."""
    bare = _drop_commas(_COMMENT_OR_STRING.sub(lambda match: match[1] or " ", text))
    try:
        return json.loads(bare)
    except json.JSONDecodeError:
        raise file.error(f"not valid JSON: {_describe_json_error(error)}", error.lineno) from error


def _drop_commas(text: str) -> str:
    """``text`` without the commas before a closing bracket; its strings stay."""
    pieces: list[str] = []
    comma: int | None = None
    for match in _PIECE.finditer(text):
        piece = match[0]
        if piece in ("]", "}") and comma is not None:
            pieces[comma] = ""
        if not piece.isspace():
            comma = len(pieces) if piece == "," else None
        pieces.append(piece)
    return "".join(pieces)


def _find_articles(value: object) -> list[object] | None:
    """The articles that a value holds: a list of them, under a key or not, or a single one."""
    rows, table = as_list(value), as_record(value)
    if rows is not None:
        return rows if _are_articles(list_records(rows[:_SAMPLE])) else None
    if table is None:
        return None
    for name in ("articles", "items", "data", "results", "documents"):
        articles = as_list(table.get(name))
        if articles is not None and _are_articles(list_records(articles[:_SAMPLE])):
            return articles
    return [table] if _are_articles([table]) else None


def _are_articles(records: Sequence[Record]) -> bool:
    """Whether most records have the fields of articles, with texts in them."""
    return bool(records) and 2 * sum(map(is_article, records)) >= len(records)


def _build_records(
    file: SourceFile,
    records: Sequence[tuple[str, dict[str, str] | ValueError]],
    facts: Extracted,
    lead: Sequence[str] = (),
) -> Iterator[Extracted]:
    """The table of records, all their fields as columns in the order in which they first appear."""
    fields = [record for _, record in records if not isinstance(record, ValueError)]
    columns = list(dict.fromkeys(name for record in fields for name in record))
    if _is_table(columns, fields):
        rows: Iterable[NumberedRow] = (
            (number, record if isinstance(record, ValueError) else [record.get(name, "") for name in columns])
            for number, record in records
        )
        yield from build_tables(file, columns, rows, facts, lead=lead)
    else:
        rows = (
            (number, record if isinstance(record, ValueError) else _name_cells(record)) for number, record in records
        )
        yield from build_tables(file, (), rows, facts, lead=lead)


def _is_table(columns: Sequence[str], records: Sequence[dict[str, str]]) -> bool:
    return len(columns) * len(records) <= _MOST_PADDING * sum(map(len, records)) + 10_000


def _name_cells(record: dict[str, str]) -> list[str]:
    return [f"{name}: {value}" if name else value for name, value in record.items() if value]


def _build_value(file: SourceFile, value: object) -> Iterator[Extracted]:
    """A table, or what an object holds by its keys; large tables in it are documents of their own."""
    rows, path = _only_rows(value)
    if records := find_records(rows):
        yield from _build_records(file, records, Extracted("", left_out=count_shapes(rows)), path)
        return
    writer = _ValueWriter()
    writer.write(value)
    text, blocks = writer.draft.finish()
    if not text and not writer.large:
        raise file.error("no readable text in it")
    if text:
        yield Extracted(text, blocks=blocks, left_out=writer.losses.left_out())
    for name, large in writer.large:
        yield from _build_records(file, large, Extracted("", row=clean_line(name)), (name,))


def _only_rows(value: object) -> tuple[object, tuple[str, ...]]:
    """The table that is all there is in a value, however deep under keys, and lines that say what it is."""
    path = ""
    while (table := as_record(value)) and len(table) == 1 and find_records(table) is None:
        name, value = next(iter(table.items()))
        path = f"{path}.{name}" if path else name
    if table and table.get("type") == "FeatureCollection":
        said = (
            f"{name}: {write_field(each)}" for name, each in table.items() if name not in ("type", "features", "bbox")
        )
        return table.get("features"), tuple(said)
    return value, () if path in _USUAL_KEYS else (path,)


class _ValueWriter:
    """Writes a value by its keys: the first of a path as headings, tables under their paths, other values a line each."""

    def __init__(self) -> None:
        self.draft = Draft()
        self.losses = Losses()
        self.large: list[tuple[str, list[NumberedRecord]]] = []
        """Tables too long to stand with others in a document, by their paths."""

    def write(self, value: object) -> None:
        """All that ``value`` holds."""
        table = as_record(value)
        if table is None:
            self._write_list("", as_list(value) or [value])
        for name, each in (table or Record()).items():
            if (as_record(each) or as_list(each)) and not _is_plain_list(each):
                self.draft.heading(name, 1)
                self._write_branch(name, each)
                self.draft.leave_sections()
            else:
                self._write_line(name, each)

    def _write_branch(self, path: str, value: object) -> None:
        stack: list[tuple[str, object]] = [(path, value)]
        while stack:
            path, value = stack.pop()
            table, items = as_record(value), as_list(value)
            if records := find_records(value):
                self._write_table(path, records)
                self.losses.include(count_shapes(value))
            elif table:
                stack += [(f"{path}.{name}", table[name]) for name in reversed(table)]
            elif items and not _is_plain_list(value):
                self._write_list(path, items)
            else:
                self._write_line(path, value)

    def _write_table(self, path: str, records: list[NumberedRecord]) -> None:
        fields = [record for _, record in records]
        columns = list(dict.fromkeys(name for record in fields for name in record))
        if sum(len(cell) for record in fields for cell in record.values()) > PART_CHARACTERS // 2:
            self.large.append((path, records))
        elif not _is_table(columns, fields):
            self._write_list(path, [", ".join(_name_cells(record)) for record in fields])
        else:
            self._write_caption(path)
            self.draft.add_table([columns, *([record.get(name, "") for name in columns] for record in fields)])

    def _write_list(self, path: str, items: Sequence[object]) -> None:
        self._write_caption(path)
        with self.draft.inside(BlockKind.LIST):
            for each in items:
                with self.draft.item():
                    self.draft.add(write_field(each))

    def _write_caption(self, path: str) -> None:
        """The path of a table or list, unless it is the heading it stands under."""
        if path and self.draft.section[-1:] != (clean_line(path)[:200],):
            self.draft.add(clean_line(path), kind=BlockKind.CAPTION)

    def _write_line(self, path: str, value: object) -> None:
        text = value.strip() if isinstance(value, str) and "\n" in value else write_field(value)
        self.draft.add(f"{clean_line(path)}: {text}" if text else f"{clean_line(path)}:", "\n")


def _is_plain_list(value: object) -> bool:
    """Whether a list is one of plain values, which stands on a line with its key."""
    items = as_list(value)
    return items is not None and not any(isinstance(each, dict | list) for each in items)


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
