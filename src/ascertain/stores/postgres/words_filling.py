"""Words for what was written before there was a place for them: the second half of the step 0004_words.

PostgreSQL cannot analyse texts as all stores do, so this is done from here, a batch at a time. Interrupted, the next call goes on.
"""

from __future__ import annotations

from ascertain.stores import rows
from ascertain.stores.analysis import build_analyzer
from ascertain.stores.postgres import words
from ascertain.stores.postgres.connections import Connection, Connections
from ascertain.stores.postgres.lexical_leg import settle
from ascertain.stores.postgres.text import statement

_BATCH = 500
_LACKING = "c.words IS NULL AND NOT c.is_parent"


def lacks_words(db: Connection) -> bool:
    """Whether chunks cannot be found by words yet."""
    return db.execute(statement(f"SELECT FROM chunks c WHERE {_LACKING} LIMIT 1")).fetchone() is not None


def fill_words(connections: Connections) -> int:
    """Give words to every chunk and document that lacks them; how many chunks there were. Safe from several machines at once."""
    chunks = 0
    while filled := connections.change(_fill_chunks):
        chunks += filled
    while connections.change(_fill_documents):
        pass
    if chunks:
        connections.change(settle)
    return chunks


def _fill_chunks(db: Connection) -> int:
    """Fill one batch; how many rows were in it."""
    found = db.execute(
        statement(
            f"""SELECT c."row", {rows.CHUNK_COLUMNS} FROM chunks c JOIN documents d ON d.number = c.document
                WHERE {_LACKING} ORDER BY c."row" LIMIT %s FOR UPDATE OF c SKIP LOCKED"""
        ),
        (_BATCH,),
    ).fetchall()
    analyzer = build_analyzer()
    values = [(*words.chunk_values(analyzer, rows.chunk(row[1:])), row[0]) for row in found]
    columns = ", ".join(f"{name} = %s" for name in words.CHUNK_COLUMNS)
    with db.cursor() as cursor:
        cursor.executemany(statement(f'UPDATE chunks SET {columns} WHERE "row" = %s'), values)
    return len(found)


def _fill_documents(db: Connection) -> int:
    # A document that failed before it had a text has no words either.
    found = db.execute(
        statement(
            f"""SELECT d.number, {rows.DOCUMENT_COLUMNS} FROM documents d JOIN texts t ON t.document = d.number
                WHERE d.words IS NULL ORDER BY d.number LIMIT %s FOR UPDATE OF d SKIP LOCKED"""
        ),
        (_BATCH // 10,),
    ).fetchall()
    analyzer = build_analyzer()
    values = [(*words.document_values(analyzer, rows.document(row[1:])), row[0]) for row in found]
    columns = ", ".join(f"{name} = %s" for name in words.DOCUMENT_COLUMNS)
    with db.cursor() as cursor:
        cursor.executemany(statement(f"UPDATE documents SET {columns} WHERE number = %s"), values)
    return len(found)
