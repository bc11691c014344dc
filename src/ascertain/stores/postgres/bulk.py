"""Many rows into a table or out of it at once: COPY."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import psycopg
from numpy.typing import NDArray

from ascertain.stores.postgres.text import statement
from ascertain.stores.rows import Row

Connection = psycopg.Connection[Row]

# The header and the end of PostgreSQL's binary copy format: signature, no flags, no extension; -1 fields.
_HEADER = b"PGCOPY\n\xff\r\n\0" + bytes(8)
_END = b"\xff\xff"
_HALF_BYTES = 2
_INTEGER_BYTES = 4


def copy_rows(db: Connection, target: str, rows: Iterable[Sequence[object]]) -> None:
    """Add ``rows`` to ``target``, a table with its columns in the order of their values."""
    with db.cursor() as cursor, cursor.copy(statement(f"COPY {target} FROM STDIN")) as copy:
        for row in rows:
            copy.write_row(row)


def copy_integers(db: Connection, target: str, values: NDArray[np.int32]) -> None:
    """Add the rows of ``values`` to ``target``, a table with columns of type integer in their order."""
    records = np.zeros(len(values), _integers(values.shape[1]))
    records["fields"] = values.shape[1]
    records["values"]["size"] = _INTEGER_BYTES
    records["values"]["value"] = values
    with (
        db.cursor() as cursor,
        cursor.copy(statement(f"COPY {target} FROM STDIN (FORMAT BINARY)")) as copy,
    ):
        copy.write(_HEADER + records.tobytes() + _END)


def copied_integers(db: Connection, query: str, parameters: Sequence[int]) -> NDArray[np.int32]:
    """What ``query`` gives back, all of type integer and not NULL, of shape (rows, columns)."""
    command = statement(f"COPY ({query}) TO STDOUT (FORMAT BINARY)")
    with db.cursor() as cursor, cursor.copy(command, parameters) as copy:
        columns = cursor.pgresult.nfields if cursor.pgresult else 0
        # Each row arrives as an object of its own; a list of them would take several times their bytes.
        received = bytearray()
        for row in copy:
            received += row
    records = np.frombuffer(memoryview(received)[len(_HEADER) : -len(_END)], _integers(columns))
    return records["values"]["value"].astype(np.int32)


def copy_vectors(
    db: Connection,
    table: str,
    documents: NDArray[np.int64],
    rows: NDArray[np.int64],
    vectors: NDArray[np.float16],
) -> None:
    """Add vectors of shape ``(n, dimension)`` to a generation's table, each with its document's number and its row."""
    records = np.zeros(len(rows), _record(vectors.shape[-1]))
    records["fields"] = 3
    records["document_size"] = records["row_size"] = np.dtype(np.int64).itemsize
    records["document"] = documents
    records["row"] = rows
    records["vector_size"] = 2 * _HALF_BYTES + vectors.shape[-1] * _HALF_BYTES
    records["dimension"] = vectors.shape[-1]
    records["vector"] = vectors
    command = statement(f'COPY {table} (document, "row", vector) FROM STDIN (FORMAT BINARY)')
    with db.cursor() as cursor, cursor.copy(command) as copy:
        copy.write(_HEADER + records.tobytes() + _END)


def sent_vectors(values: Sequence[bytes], dimension: int) -> NDArray[np.float16]:
    """Vectors from what ``halfvec_send`` gives: dimension and a spare number of two bytes each, then the numbers, big-endian."""
    joined = np.frombuffer(b"".join(values), ">f2").reshape(len(values), 2 + dimension)
    return joined[:, 2:].astype(np.float16)


def _record(dimension: int) -> np.dtype[np.void]:
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


def _integers(columns: int) -> np.dtype[np.void]:
    return np.dtype([("fields", ">i2"), ("values", [("size", ">i4"), ("value", ">i4")], (columns,))])
