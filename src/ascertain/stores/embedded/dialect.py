"""Where SQLite differs from PostgreSQL, and how it holds any string."""

import json
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from ascertain.stores.records.documents import list_prefixes
from ascertain.stores.records.encoding import escape_text, unescape_text
from ascertain.stores.records.rows import Row
from ascertain.stores.records.vectors import Generation
from ascertain.stores.relational.database import Condition, bind_marks, join_all

# Greater than every character of a text, and as a byte greater than every byte of UTF-8.
_LAST_CHARACTER, _LAST_BYTE = "\U0010ffff", b"\xff"


class SqliteDialect:
    """SQLite's ``Dialect``."""

    has_key_columns = False

    def lock_rows(self, *, skip: bool = False) -> str:
        """Nothing: a transaction that writes is the only one."""
        return ""

    def keep_rows(self) -> str:
        """Nothing, for the same reason."""
        return ""

    def match_any(self, column: str, values: Sequence[str]) -> Condition:
        """By a JSON array: a list of placeholders has an end. JSON cannot say what is held as a BLOB; that is compared by itself."""
        plain = [value for value in values if isinstance(sql_text(value), str)]
        odd = [value for value in values if not isinstance(sql_text(value), str)]
        listed = f"{column} IN (SELECT value FROM json_each(?))"
        if not odd:
            return Condition(listed, (json.dumps(plain),))
        others = "".join(f" OR {column} = ?" for _ in odd)
        return Condition(f"({listed}{others})", (json.dumps(plain), *odd))

    def match_tenant(self, tenant: str, *, is_narrow: bool) -> Condition:
        """With +, the few documents are looked for first, instead of going through all of the tenant's."""
        return Condition("+d.tenant = ?" if is_narrow else "d.tenant = ?", (tenant,))

    def match_sources(self, sources: Sequence[str]) -> Condition:
        """Text sorts before BLOBs and both compare byte by byte, so a prefix is an interval of each."""
        interval = "(d.source >= ? AND d.source < ?)"
        parts: list[Condition] = []
        for source in sources:
            parts.append(Condition("d.source = ?", (source,)))
            for prefix in list_prefixes(source):
                raw = prefix.encode("utf-8", "surrogatepass")
                if isinstance(sql_text(prefix), str):
                    parts.append(Condition(interval, (prefix, prefix + _LAST_CHARACTER)))
                parts.append(Condition(interval, (raw, raw + _LAST_BYTE)))
        anyone = join_all(parts, " OR ")
        return Condition(f"({anyone.sql})", anyone.parameters)

    def match_tags(self, tags: Sequence[str]) -> Condition:
        """In their own table."""
        named = f"SELECT document FROM document_tags WHERE tag IN ({bind_marks(tags)})"
        return Condition(f"d.number IN ({named})", tuple(tags))

    def lacks_vector(self, generation: Generation) -> str:
        """In the table of all vectors."""
        vectors = f"SELECT 1 FROM vectors v WHERE v.row = c.row AND v.generation = {generation.number}"
        return f"NOT EXISTS ({vectors})"


class RecordConnection(sqlite3.Connection):
    """A connection that is a ``Session``; a string that UTF-8 cannot hold is kept as bytes."""

    dialect = SqliteDialect()

    def fetch_rows(self, sql: str, *parameters: object) -> list[Row]:
        return self.execute(sql, self.encode_values(parameters)).fetchall()

    def stream_rows(self, sql: str, *parameters: object) -> Iterator[Row]:
        return self.execute(sql, self.encode_values(parameters))

    def change_rows(self, sql: str, *parameters: object) -> int:
        return self.execute(sql, self.encode_values(parameters)).rowcount

    def insert_rows(self, table: str, columns: str, rows: Sequence[Sequence[object]]) -> None:
        if rows:
            self.executemany(_build_insert(table, columns, len(rows[0])), map(self.encode_values, rows))

    def insert_integers(self, table: str, columns: str, values: NDArray[np.int32]) -> None:
        self.executemany(_build_insert(table, columns, values.shape[1]), values.tolist())

    def fetch_integers(self, sql: str, *parameters: int) -> NDArray[np.int32]:
        found = self.execute(sql, parameters)
        # Row by row into the array: a list of all rows would take ten times its memory.
        return np.fromiter(chain.from_iterable(found), np.int32).reshape(-1, len(found.description))

    def replace_vectors(
        self,
        generation: Generation,
        documents: NDArray[np.int64],
        rows: NDArray[np.int64],
        vectors: NDArray[np.float16],
    ) -> None:
        written = zip(rows.tolist(), vectors, strict=True)
        values = [(row, generation.number, vector.tobytes()) for row, vector in written]
        self.executemany("INSERT OR REPLACE INTO vectors (row, generation, vector) VALUES (?, ?, ?)", values)

    def encode_values(self, values: Iterable[object]) -> list[object]:
        return [sql_text(value) if isinstance(value, str) else value for value in values]


class EscapingConnection(RecordConnection):
    """One that escapes what UTF-8 cannot hold, and gives every string back as it was."""

    def fetch_rows(self, sql: str, *parameters: object) -> list[Row]:
        return list(self.stream_rows(sql, *parameters))

    def stream_rows(self, sql: str, *parameters: object) -> Iterator[Row]:
        for row in super().stream_rows(sql, *parameters):
            yield tuple(unescape_text(value) if isinstance(value, str) else value for value in row)

    def encode_values(self, values: Iterable[object]) -> list[object]:
        return [escape_text(value) if isinstance(value, str) else value for value in values]


def sql_text(text: str) -> str | bytes:
    """``text`` as SQLite can hold it: a BLOB when it has lone surrogates (file names that are not UTF-8)."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-8", "surrogatepass")
    return text


def _build_insert(table: str, columns: str, count: int) -> str:
    return f"INSERT INTO {table} ({columns}) VALUES ({', '.join('?' * count)})"
