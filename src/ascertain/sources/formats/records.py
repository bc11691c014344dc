"""JSON of any shape: articles, transcripts and conversations as what they are, records as tables, everything else by its keys.

Records that are rows become one table with all their fields as columns, as the same rows in a CSV file; an object in a record gives a
column to each of its fields (``address.city``). Settings are lines under the first key of their path (``server.port: 8080``).
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice
from typing import cast

from ascertain.core.blocks import BlockKind
from ascertain.core.documents import LeftOut
from ascertain.sources.formats.articles import has_articles, read_articles, write_field
from ascertain.sources.formats.conversations import find_conversations
from ascertain.sources.formats.draft import Draft, clean_line
from ascertain.sources.formats.reader import Extracted, SourceFile, decode_text, text_of
from ascertain.sources.formats.tables import PART_CHARACTERS, NumberedRow, build_tables
from ascertain.sources.formats.transcripts import find_segments, read_segments

_SAMPLE = 200
"""Records by which a file of many is judged."""
_MOST_COLUMNS = 2000
"""Fields that become columns; those beyond stand together in the last one (by judgement)."""
_USUAL_KEYS = ("", "data", "items", "results", "records", "rows", "features", "values", "entries", "objects")
"""Keys that say nothing of what lies under them."""
Record = Mapping[str, object]


def read_json_lines(file: SourceFile) -> Iterator[Extracted]:
    """A table of the records on the lines, or a document for each line that holds an article, a transcript or a conversation."""
    limit = 4 * file.options.max_characters
    rows = _json_rows(file, limit)
    top = list(islice(rows, _SAMPLE))
    records = [cast("Record", row) for _, row in top if isinstance(row, dict)]
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
    records = [
        (
            number,
            row if isinstance(row, ValueError) else _flatten(row) if isinstance(row, dict) else {"": write_field(row)},
        )
        for number, row in rows
    ]
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
    if isinstance(value, list):
        rows = cast("list[object]", value)
        return rows if _are_articles([cast("Record", row) for row in rows[:_SAMPLE] if isinstance(row, dict)]) else None
    if not isinstance(value, dict):
        return None
    table = cast("Record", value)
    for name in ("articles", "items", "data", "results", "documents"):
        found = _find_articles(table[name]) if isinstance(table.get(name), list) else None
        if found is not None:
            return found
    return [table] if _are_articles([table]) else None


def _are_articles(records: Sequence[Record]) -> bool:
    """Whether most records have the fields of articles, with texts in them."""
    count = sum(
        has_articles(str(name) for name, value in record.items() if isinstance(value, str | list) or value is None)
        for record in records
    )
    return bool(records) and 2 * count >= len(records)


def _flatten(record: Record) -> dict[str, str]:
    """The fields of a record in a line each, those of objects in it by their path."""
    fields: dict[str, str] = {}
    stack: list[tuple[str, object]] = [(str(name), value) for name, value in reversed(record.items())]
    while stack:
        path, value = stack.pop()
        if isinstance(value, dict) and value:
            inner = cast("Record", value)
            stack += [(f"{path}.{name}", each) for name, each in reversed(inner.items())]
        else:
            fields[path] = write_field(value)
    return fields


def _build_records(
    file: SourceFile,
    records: Sequence[tuple[str, Mapping[str, str] | ValueError]],
    facts: Extracted,
    lead: Sequence[str] = (),
) -> Iterator[Extracted]:
    """The table of records, all their fields as columns in the order in which they first appear."""
    names = dict.fromkeys(name for _, record in records if not isinstance(record, ValueError) for name in record)
    columns = list(names)
    more = set(columns[_MOST_COLUMNS:])
    columns = columns[:_MOST_COLUMNS]

    def cells(record: Mapping[str, str]) -> list[str]:
        row = [record.get(name, "") for name in columns]
        rest = [f"{name}: {value}" for name, value in record.items() if name in more and value] if more else []
        return [*row, ", ".join(rest)] if rest else row

    rows: Iterable[NumberedRow] = (
        (number, record if isinstance(record, ValueError) else cells(record)) for number, record in records
    )
    yield from build_tables(file, columns, rows, facts, lead)


def _find_records(value: object) -> list[tuple[str, dict[str, str]]] | None:
    """The rows of a value that is a table in any of the usual shapes, None for others.

    A list of objects or of lists, columns with data, an object of columns of one length, an object of objects with the same fields.
    """
    if isinstance(value, list):
        rows = cast("list[object]", value)
        if rows and all(isinstance(row, dict) for row in rows):
            return [(str(number), _flatten(_feature(cast("Record", row)))) for number, row in enumerate(rows, 1)]
        if len(rows) > 1 and all(isinstance(row, list) and row for row in rows):
            return _list_rows(cast("list[list[object]]", rows))
        return None
    if not isinstance(value, dict):
        return None
    table = cast("Record", value)
    columns, data = table.get("columns"), table.get("data")
    if (
        isinstance(columns, list)
        and isinstance(data, list)
        and all(isinstance(row, list) for row in cast("list[object]", data))
    ):
        names = [write_field(each) for each in cast("list[object]", columns)]
        return _list_rows([cast("list[object]", names), *cast("list[list[object]]", data)])
    return _find_columns(table) or _find_keyed_rows(table)


def _list_rows(rows: Sequence[Sequence[object]]) -> list[tuple[str, dict[str, str]]] | None:
    """Rows under a first one of names; a list of lists without such names is no table."""
    names = [each if isinstance(each, str) else "" for each in rows[0]]
    if not all(names) or len(set(names)) < len(names) or any(len(row) > len(names) for row in rows):
        return None
    return [
        (str(number), {name: write_field(cell) for name, cell in zip(names, row, strict=False)})
        for number, row in enumerate(rows[1:], 1)
    ]


def _find_columns(table: Record) -> list[tuple[str, dict[str, str]]] | None:
    """The rows of ``{"a": [1, 2], "b": [3, 4]}``, or of ``{"a": {"0": 1, "1": 2}, ...}`` as pandas writes it."""
    values = list(table.values())
    if len(values) < 2:
        return None
    if all(isinstance(each, list) for each in values):
        lists = cast("list[list[object]]", values)
        size = len(lists[0])
        if size < 2 or any(len(each) != size or any(isinstance(cell, dict | list) for cell in each) for each in lists):
            return None
        keys: list[object] = list(range(size))
        columns = [dict(zip(keys, each, strict=True)) for each in lists]
    elif all(isinstance(each, dict) for each in values):
        columns = cast("list[dict[object, object]]", values)
        keys = list(columns[0])
        if not keys or not all(str(key).isdecimal() for key in keys) or any(list(each) != keys for each in columns):
            return None
    else:
        return None
    return [
        (str(number), {name: write_field(column[key]) for name, column in zip(table, columns, strict=True)})
        for number, key in enumerate(keys, 1)
    ]


def _find_keyed_rows(table: Record) -> list[tuple[str, dict[str, str]]] | None:
    """The rows of ``{"alma": {"fee": 1}, "berta": {"fee": 2}}``: objects with the same fields under names of their own."""
    rows = [cast("Record", each) for each in table.values() if isinstance(each, dict)]
    if len(rows) < 3 or len(rows) != len(table):
        return None
    common = set(rows[0]).intersection(*rows[1:])
    if not common or any(2 * len(common) < len(row) for row in rows):
        return None
    return [
        (str(number), {"": str(name), **_flatten(row)})
        for number, (name, row) in enumerate(zip(table, rows, strict=True), 1)
    ]


def _feature(record: Record) -> Record:
    """A feature of GeoJSON (RFC 7946) by its properties, its place if it is a point; others as they are."""
    if record.get("type") != "Feature" or "geometry" not in record:
        return record
    geometry = record.get("geometry")
    shape = cast("Record", geometry) if isinstance(geometry, dict) else {}
    properties = record.get("properties")
    fields: dict[str, object] = {"id": record["id"]} if "id" in record else {}
    fields |= cast("dict[str, object]", properties) if isinstance(properties, dict) else {}
    fields["geometry"] = shape.get("type")
    if shape.get("type") == "Point":
        fields["coordinates"] = shape.get("coordinates")
    return fields


def _count_shapes(value: object) -> tuple[LeftOut, ...]:
    """The lines and areas of GeoJSON, whose thousands of coordinates nobody reads."""
    rows = cast("list[object]", value) if isinstance(value, list) else []
    count = 0
    for row in rows:
        geometry = cast("Record", row).get("geometry") if isinstance(row, dict) else None
        if isinstance(geometry, dict) and cast("Record", geometry).get("type") not in ("Point", None):
            count += "coordinates" in geometry
    return (LeftOut("coordinates of lines and areas", count),) if count else ()


def _build_value(file: SourceFile, value: object) -> Iterator[Extracted]:
    """A table, or what an object holds by its keys; large tables in it are documents of their own."""
    only = value
    path = ""
    while isinstance(only, dict) and len(cast("Record", only)) == 1 and _find_records(only) is None:
        # what lies alone under a key, or several
        name, only = next(iter(cast("Record", only).items()))
        path = f"{path}.{name}" if path else str(name)
    if isinstance(only, dict) and cast("Record", only).get("type") == "FeatureCollection":
        only = cast("Record", only).get("features")
    records = _find_records(only)
    if records:
        lead = () if path in _USUAL_KEYS else (path,)
        yield from _build_records(file, records, Extracted("", left_out=_count_shapes(only)), lead)
        return
    writer = _ValueWriter()
    writer.write(value)
    text, blocks = writer.draft.finish()
    if not text and not writer.large:
        raise file.error("no readable text in it")
    if text:
        yield Extracted(text, blocks=blocks, left_out=tuple(writer.left_out))
    for name, rows in writer.large:
        yield from _build_records(file, rows, Extracted("", row=clean_line(name)), (name,))


class _ValueWriter:
    """Writes a value by its keys: the first of a path as headings, tables under their paths, other values a line each."""

    def __init__(self) -> None:
        self.draft = Draft()
        self.left_out: list[LeftOut] = []
        self.large: list[tuple[str, Sequence[tuple[str, Mapping[str, str]]]]] = []
        """Tables too long to stand with others in a document, by their paths."""

    def write(self, value: object) -> None:
        """All that ``value`` holds."""
        if not isinstance(value, dict):
            self._write_list("", cast("list[object]", value) if isinstance(value, list) else [value])
            return
        table = cast("Record", value)
        for name, each in table.items():
            if isinstance(each, dict | list) and each and not self._is_short(cast("object", each)):
                self.draft.heading(str(name), 1)
                self._write_branch(str(name), cast("object", each))
                self.draft.leave_sections()
            else:
                self._write_line(str(name), cast("object", each))

    def _is_short(self, value: object) -> bool:
        """Whether a list is one of plain values, which stands on a line with its key."""
        return isinstance(value, list) and not any(
            isinstance(each, dict | list) for each in cast("list[object]", value)
        )

    def _write_branch(self, path: str, value: object) -> None:
        stack: list[tuple[str, object]] = [(path, value)]
        while stack:
            path, value = stack.pop()
            records = _find_records(value) if isinstance(value, dict | list) else None
            if records:
                self._write_table(path, records)
                self.left_out += _count_shapes(value)
            elif isinstance(value, dict) and value:
                stack += [(f"{path}.{name}", each) for name, each in reversed(cast("Record", value).items())]
            elif isinstance(value, list) and not self._is_short(cast("object", value)):
                self._write_list(path, cast("list[object]", value))
            else:
                self._write_line(path, value)

    def _write_table(self, path: str, records: Sequence[tuple[str, Mapping[str, str]]]) -> None:
        columns = list(dict.fromkeys(name for _, record in records for name in record))
        if len(columns) * len(records) > 20 * sum(len(record) for _, record in records) + 10_000:
            # so many different fields are no table
            self._write_list(path, [dict(record) for _, record in records])
            return
        if sum(len(cell) for _, record in records for cell in record.values()) > PART_CHARACTERS // 2:
            self.large.append((path, records))
            return
        if self.draft.section and self.draft.section[-1] != path:
            self.draft.add(path, kind=BlockKind.CAPTION)
        self.draft.add_table([columns, *([record.get(name, "") for name in columns] for _, record in records)])

    def _write_list(self, path: str, items: Sequence[object]) -> None:
        if path and not (self.draft.section and self.draft.section[-1] == path):
            self.draft.add(path, kind=BlockKind.CAPTION)
        with self.draft.inside(BlockKind.LIST):
            for each in items:
                with self.draft.item():
                    self.draft.add(write_field(each))

    def _write_line(self, path: str, value: object) -> None:
        text = str(value).strip() if isinstance(value, str) and "\n" in value else write_field(value)
        self.draft.add(f"{clean_line(path)}: {text}" if text else f"{clean_line(path)}:", "\n")


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
            except json.JSONDecodeError as error:
                yield str(number), ValueError(f"not valid JSON: {_describe_json_error(error)}")
            except RecursionError:
                yield str(number), ValueError("nested too deeply to be read")
            except ValueError as error:
                yield str(number), ValueError(f"not valid JSON: {error}")
