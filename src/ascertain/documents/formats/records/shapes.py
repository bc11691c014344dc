"""Rows in parsed JSON: lists of records and the other shapes in which programs write tables.

An object in a record gives a column to each of its fields (``address.city``); lists of values are joined.
"""

from collections.abc import Sequence
from itertools import zip_longest
from typing import cast

from ascertain.core.documents.documents import LeftOut
from ascertain.documents.formats.reader import count_words
from ascertain.documents.formats.records.articles import write_field

Record = dict[str, object]
NumberedRecord = tuple[str, dict[str, str]]
"""The number of a record and its fields, each in a line."""


def as_record(value: object) -> Record | None:
    """``value`` as an object, None for what is none."""
    return cast("Record", value) if isinstance(value, dict) else None


def as_list(value: object) -> list[object] | None:
    """``value`` as a list, None for what is none."""
    return cast("list[object]", value) if isinstance(value, list) else None


def list_records(value: object) -> list[Record]:
    """The objects in a list; none in what is no list."""
    return [cast("Record", each) for each in as_list(value) or () if isinstance(each, dict)]


def flatten_record(record: Record) -> dict[str, str]:
    """The fields of a record in a line each, those of objects in it by their path."""
    fields: dict[str, str] = {}
    stack: list[tuple[str, object]] = [(name, record[name]) for name in reversed(record)]
    while stack:
        path, value = stack.pop()
        inner = as_record(value)
        if inner:
            stack += [(f"{path}.{name}", inner[name]) for name in reversed(inner)]
        else:
            fields[path] = write_field(value)
    return fields


def find_records(value: object) -> list[NumberedRecord] | None:
    """The rows of a value that is a table in any of the usual shapes, None for others.

    A list of objects or of lists, columns with data, an object of columns of one length, an object of objects with the same fields.
    """
    rows = as_list(value)
    if rows is not None:
        records = list_records(rows)
        if rows and len(records) == len(rows):
            return [(str(number), flatten_record(_feature(row))) for number, row in enumerate(records, 1)]
        lists = [row for each in rows if (row := as_list(each))]
        return _list_rows(lists) if len(rows) > 1 and len(lists) == len(rows) else None
    table = as_record(value)
    if not table:
        return None
    return _find_split_rows(table) or _find_columns(table) or _find_keyed_rows(table)


def _find_split_rows(table: Record) -> list[NumberedRecord] | None:
    """The rows of ``{"columns": [...], "index": [...], "data": [[...], ...]}``, as pandas writes them."""
    columns, data = as_list(table.get("columns")), as_list(table.get("data"))
    if not columns or data is None or not set(table) <= {"columns", "index", "data"}:
        return None
    rows = [row for each in data if (row := as_list(each))]
    if len(rows) < len(data):
        return None
    names: list[object] = [write_field(each) for each in columns]
    index = as_list(table.get("index"))
    if index and len(index) == len(rows) and index != list(range(len(rows))):
        # the rows have names, and these none above them
        return _list_rows([["", *names], *([name, *row] for name, row in zip(index, rows, strict=True))])
    return _list_rows([names, *rows])


def _list_rows(rows: Sequence[Sequence[object]]) -> list[NumberedRecord] | None:
    """Rows under a first one of names; a list of lists without such names is no table."""
    names = [each for each in rows[0] if isinstance(each, str)]
    if not all(names[1:]) or len(set(names)) < len(rows[0]) or any(len(row) > len(names) for row in rows):
        return None
    return [
        (str(number), {name: write_field(cell) for name, cell in zip_longest(names, row)})
        for number, row in enumerate(rows[1:], 1)
    ]


def _find_columns(table: Record) -> list[NumberedRecord] | None:
    """The rows of ``{"a": [1, 2], "b": [3, 4]}``, or of ``{"a": {"0": 1, "1": 2}, ...}`` as pandas writes it."""
    if len(table) < 2:
        return None
    lists = [column for each in table.values() if (column := as_list(each))]
    inner = [column for each in table.values() if (column := as_record(each))]
    if len(lists) == len(table):
        size = len(lists[0])
        if size < 2 or any(len(each) != size or any(isinstance(cell, dict | list) for cell in each) for each in lists):
            return None
        columns = lists
    elif len(inner) == len(table):
        keys = list(inner[0])
        if not all(map(str.isdecimal, keys)) or any(list(each) != keys for each in inner):
            return None
        columns = [list(each.values()) for each in inner]
    else:
        return None
    return [
        (str(number), {name: write_field(cell) for name, cell in zip(table, row, strict=True)})
        for number, row in enumerate(zip(*columns, strict=True), 1)
    ]


def _find_keyed_rows(table: Record) -> list[NumberedRecord] | None:
    """The rows of ``{"alma": {"fee": 1}, "berta": {"fee": 2}}``: objects with the same fields under names of their own."""
    rows = [row for each in table.values() if (row := as_record(each))]
    if len(rows) < 3 or len(rows) != len(table):
        return None
    common = set(rows[0]).intersection(*rows[1:])
    if not common or any(2 * len(common) < len(row) for row in rows):
        return None
    return [
        (str(number), {"": name, **flatten_record(row)})
        for number, (name, row) in enumerate(zip(table, rows, strict=True), 1)
    ]


def _feature(record: Record) -> Record:
    """A feature of GeoJSON (RFC 7946) by its properties, its place if it is a point; others as they are."""
    if record.get("type") != "Feature" or "geometry" not in record:
        return record
    shape = as_record(record["geometry"]) or Record()
    fields = {name: value for name, value in record.items() if name not in ("type", "geometry", "properties", "bbox")}
    fields |= as_record(record.get("properties")) or Record()
    fields["geometry"] = shape.get("type")
    if shape.get("type") == "Point":
        fields["coordinates"] = shape.get("coordinates")
    return fields


def count_shapes(value: object) -> tuple[LeftOut, ...]:
    """The lines and areas among features of GeoJSON, whose thousands of coordinates no one reads."""
    shapes = (as_record(record.get("geometry")) for record in list_records(value) if record.get("type") == "Feature")
    drawn = [
        shape["coordinates"] for shape in shapes if shape and shape.get("type") != "Point" and "coordinates" in shape
    ]
    words = sum(count_words(write_field(each)) for each in drawn)
    return (LeftOut("coordinates of lines and areas", len(drawn), words),) if drawn else ()
