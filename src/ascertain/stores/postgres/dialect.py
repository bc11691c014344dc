"""Where PostgreSQL differs from SQLite."""

import hashlib
from collections.abc import Iterable, Sequence
from functools import cache

import numpy as np
import psycopg
from numpy.typing import NDArray
from psycopg.adapt import AdaptersMap, Loader
from psycopg.pq import Format
from psycopg.types.string import StrDumperUnknown

from ascertain.stores.records.documents import list_prefixes
from ascertain.stores.records.encoding import escape_text, unescape_text
from ascertain.stores.records.rows import Row
from ascertain.stores.records.vectors import Generation
from ascertain.stores.relational.database import Condition, join_all


def encode_sql(text: str) -> bytes:
    """SQL made of constants of this package, table names among them; values are bound, never part of it."""
    return text.encode()


def encode_marks(text: str) -> bytes:
    """SQL with ``?`` where its parameters stand, as psycopg reads it."""
    return encode_sql(text.replace("?", "%s"))


@cache
def text_adapters() -> AdaptersMap:
    """Psycopg's adapters, but for strings: parameters are escaped, and results given back as they were."""
    adapters = AdaptersMap(psycopg.adapters)
    adapters.register_dumper(str, _EscapingDumper)
    adapters.register_dumper(Stored, StrDumperUnknown)
    adapters.register_loader("text", _UnescapingLoader)
    adapters.register_loader("text", _UnescapingBinaryLoader)
    return adapters


class Stored(str):
    """A string parameter that is escaped already."""

    __slots__ = ()


class _EscapingDumper(StrDumperUnknown):
    def dump(self, obj: str) -> bytes:
        return escape_text(obj).encode()


class _UnescapingLoader(Loader):
    def load(self, data: bytes | bytearray | memoryview) -> str:
        return unescape_text(bytes(data).decode())


class _UnescapingBinaryLoader(_UnescapingLoader):
    format = Format.BINARY


Connection = psycopg.Connection[Row]

# The header and the end of PostgreSQL's binary copy format: signature, no flags, no extension; -1 fields.
_HEADER = b"PGCOPY\n\xff\r\n\0" + bytes(8)
_END = b"\xff\xff"
_HALF_BYTES = 2
_INTEGER_BYTES = 4


def copy_rows(db: Connection, target: str, rows: Iterable[Sequence[object]]) -> None:
    """Add ``rows`` to ``target``, a table with its columns in the order of their values."""
    with db.cursor() as cursor, cursor.copy(encode_sql(f"COPY {target} FROM STDIN")) as copy:
        for row in rows:
            copy.write_row(row)


def copy_integers(db: Connection, target: str, values: NDArray[np.int32]) -> None:
    """Add the rows of ``values`` to ``target``, a table with columns of type integer in their order."""
    records = np.zeros(len(values), _integer_row_type(values.shape[1]))
    records["fields"] = values.shape[1]
    records["values"]["size"] = _INTEGER_BYTES
    records["values"]["value"] = values
    with db.cursor() as cursor, cursor.copy(encode_sql(f"COPY {target} FROM STDIN (FORMAT BINARY)")) as copy:
        copy.write(_HEADER + records.tobytes() + _END)


def copy_out_integers(db: Connection, query: str, parameters: Sequence[int]) -> NDArray[np.int32]:
    """What ``query`` gives back, all of type integer and not NULL, of shape (rows, columns)."""
    command = encode_marks(f"COPY ({query}) TO STDOUT (FORMAT BINARY)")
    with db.cursor() as cursor, cursor.copy(command, parameters) as copy:
        columns = cursor.pgresult.nfields if cursor.pgresult else 0
        # Each row arrives as an object of its own; a list of them would take several times their bytes.
        received = bytearray()
        for row in copy:
            received += row
    records = np.frombuffer(memoryview(received)[len(_HEADER) : -len(_END)], _integer_row_type(columns))
    return records["values"]["value"].astype(np.int32)


def copy_vectors(
    db: Connection, table: str, documents: NDArray[np.int64], rows: NDArray[np.int64], *, vectors: NDArray[np.float16]
) -> None:
    """Add vectors of shape ``(n, dimension)`` to a generation's table, each with its document's number and its row."""
    records = np.zeros(len(rows), _vector_row_type(vectors.shape[-1]))
    records["fields"] = 3
    records["document_size"] = records["row_size"] = np.dtype(np.int64).itemsize
    records["document"] = documents
    records["row"] = rows
    records["vector_size"] = 2 * _HALF_BYTES + vectors.shape[-1] * _HALF_BYTES
    records["dimension"] = vectors.shape[-1]
    records["vector"] = vectors
    command = encode_sql(f'COPY {table} (document, "row", vector) FROM STDIN (FORMAT BINARY)')
    with db.cursor() as cursor, cursor.copy(command) as copy:
        copy.write(_HEADER + records.tobytes() + _END)


def decode_vectors(values: Sequence[bytes], dimension: int) -> NDArray[np.float16]:
    """Vectors from ``halfvec_send``: dimension and a spare number of two bytes each, then the numbers, big-endian."""
    joined = np.frombuffer(b"".join(values), ">f2").reshape(len(values), 2 + dimension)
    return joined[:, 2:].astype(np.float16)


def _vector_row_type(dimension: int) -> np.dtype[np.void]:
    return np.dtype(
        [
            ("fields", ">i2"),
            ("document_size", ">i4"),
            ("document", ">i8"),
            ("row_size", ">i4"),
            ("row", ">i8"),
            ("vector_size", ">i4"),
            ("dimension", ">i2"),
            ("spare", ">i2"),
            ("vector", ">f2", (dimension,)),
        ]
    )


def _integer_row_type(columns: int) -> np.dtype[np.void]:
    return np.dtype([("fields", ">i2"), ("values", [("size", ">i4"), ("value", ">i4")], (columns,))])


# Characters of a source and of a tag that are indexed (0001_documents.sql): an entry has room for 2,704 bytes.
_INDEXED = 400
_BEGINNING = f'"left"(d.source, {_INDEXED})'
_LAST_CHARACTER = "\U0010ffff"
_FIRST_SURROGATE, _AFTER_SURROGATES = "\ud800", "\ue000"


class PostgresDialect:
    """PostgreSQL's ``Dialect``."""

    has_key_columns = True

    def lock_rows(self, *, skip: bool = False) -> str:
        """Until the end of the transaction."""
        return " FOR UPDATE SKIP LOCKED" if skip else " FOR UPDATE"

    def keep_rows(self) -> str:
        """Others may still refer to them."""
        return " FOR KEY SHARE"

    def match_any(self, column: str, values: Sequence[str]) -> Condition:
        """By an array."""
        return Condition(f"{column} = ANY(?)", (list(values),))

    def match_tenant(self, tenant: str, *, is_narrow: bool) -> Condition:
        """The planner knows by itself what is narrow."""
        return Condition("d.tenant = ?", (tenant,))

    def match_tags(self, tags: Sequence[str]) -> Condition:
        """In an array of each document."""
        return Condition("d.tag_names && ?::text[]", (list(map(tag_key, tags)),))

    def match_sources(self, sources: Sequence[str]) -> Condition:
        """By their beginnings, which are indexed, then whole."""
        exact = [escape_text(source) for source in sources if not source.endswith("*")]
        parts: list[Condition] = []
        if exact:
            beginnings = [Stored(source[:_INDEXED]) for source in exact]
            whole = list(map(Stored, exact))
            parts.append(Condition(f"({_BEGINNING} = ANY(?) AND d.source = ANY(?))", (beginnings, whole)))
        for prefix in (prefix for source in sources for prefix in list_prefixes(source)):
            start = escape_text(prefix)
            if len(start) <= _INDEXED:
                parts.append(_match_prefix(_BEGINNING, start))
            else:
                interval = _match_prefix("d.source", start)
                beginning = Stored(start[:_INDEXED])
                parts.append(Condition(f"({_BEGINNING} = ? AND {interval.sql})", (beginning, *interval.parameters)))
        anyone = join_all(parts, " OR ")
        return Condition(f"({anyone.sql})", anyone.parameters)

    def lacks_vector(self, generation: Generation) -> str:
        """In the generation's own table."""
        vectors = f'SELECT 1 FROM {vector_table(generation)} v WHERE v.document = c.document AND v."row" = c."row"'
        return f"NOT EXISTS ({vectors})"


def vector_table(generation: Generation) -> str:
    """The table with the vectors of a generation."""
    return f"vectors_{generation.number}"


def tag_key(tag: str) -> str:
    """A tag as it is indexed: one that is longer than an index takes by its beginning and a hash."""
    if len(tag) <= _INDEXED:
        return tag
    return tag[:_INDEXED] + hashlib.sha256(tag.encode("utf-8", "surrogatepass")).hexdigest()


def after_prefix(prefix: str) -> str | None:
    """The least string, by code points, above all that begin with ``prefix``; None when there is none."""
    shortened = prefix.rstrip(_LAST_CHARACTER)
    if not shortened:
        return None
    following = chr(ord(shortened[-1]) + 1)
    return shortened[:-1] + (_AFTER_SURROGATES if following == _FIRST_SURROGATE else following)


def _match_prefix(column: str, prefix: str) -> Condition:
    """What begins with ``prefix``, which is escaped already."""
    end = after_prefix(prefix)
    if end is None:
        return Condition(f"{column} >= ?", (Stored(prefix),))
    return Condition(f"({column} >= ? AND {column} < ?)", (Stored(prefix), Stored(end)))
