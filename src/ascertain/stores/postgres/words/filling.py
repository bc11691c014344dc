"""Whether what is noted of words agrees with the chunks, and counting it anew. Every function runs inside the caller's transaction.

Writers note differences by triggers (0004_words.sql), so they can only disagree when somebody switched these off.
"""

from __future__ import annotations

from ascertain.stores import rows
from ascertain.stores.postgres.connections import Connection, Connections
from ascertain.stores.postgres.dialect import encode_sql
from ascertain.stores.postgres.words import texts
from ascertain.stores.postgres.words.search import settle_words
from ascertain.stores.text_analysis import build_analyzer

_COUNTED = """
    SELECT lexeme, count(*) FILTER (WHERE weights && '{B,C}') AS chunks, count(*) FILTER (WHERE weights[1] = 'A') AS titles
    FROM chunks, unnest(words) WHERE positions IS NOT NULL GROUP BY lexeme"""
_NOTED = """
    SELECT lexeme, sum(chunks) AS chunks, sum(titles) AS titles FROM (
        SELECT lexeme, chunks, titles FROM word_counts
        UNION ALL
        SELECT each.* FROM word_changes, unnest(lexemes, in_chunks, in_titles) AS each (lexeme, chunks, titles)) noted
    GROUP BY lexeme HAVING sum(chunks) <> 0 OR sum(titles) <> 0"""
_TOTALS = """
    SELECT count(*), coalesce(sum(length), 0), coalesce(sum(title_length), 0) FROM chunks WHERE words IS NOT NULL"""
_NOTED_TOTALS = """
    SELECT coalesce(sum(chunks), 0), coalesce(sum(length), 0), coalesce(sum(title_length), 0) FROM word_changes"""


def are_wrong(db: Connection) -> bool:
    """Whether some word is not noted as often as it occurs."""
    row = db.execute(
        encode_sql(
            f"""SELECT EXISTS ({_TOTALS} EXCEPT {_NOTED_TOTALS}) OR EXISTS (
                SELECT FROM ({_COUNTED}) counted FULL JOIN ({_NOTED}) noted USING (lexeme)
                WHERE (counted.chunks, counted.titles) IS DISTINCT FROM (noted.chunks, noted.titles))"""
        )
    ).fetchone()
    return bool(row and row[0])


def recount_words(db: Connection) -> None:
    """Note every word as often as it occurs; writers wait."""
    db.execute("LOCK TABLE chunks IN SHARE MODE")
    db.execute("DELETE FROM word_changes")
    db.execute("DELETE FROM word_counts")
    db.execute(encode_sql(f"INSERT INTO word_counts {_COUNTED}"))
    db.execute(
        encode_sql(
            "INSERT INTO word_changes (chunks, length, title_length, lexemes, in_chunks, in_titles) "
            f"SELECT totals.*, '{{}}', '{{}}', '{{}}' FROM ({_TOTALS}) totals"
        )
    )


# Words for what was written before there was a place for them: the second half of the step 0004_words.
#
# PostgreSQL cannot analyse texts as all stores do, so this is done from here, a batch at a time. Interrupted, the next call goes on.

_BATCH = 500
_LACKING = "c.words IS NULL AND NOT c.is_parent"


def lacks_words(db: Connection) -> bool:
    """Whether chunks cannot be found by words yet."""
    return db.execute(encode_sql(f"SELECT FROM chunks c WHERE {_LACKING} LIMIT 1")).fetchone() is not None


def fill_words(connections: Connections) -> int:
    """Give words to every chunk and document that lacks them; how many chunks there were. Safe from several machines at once."""
    chunks = 0
    while filled := connections.change(_fill_chunks):
        chunks += filled
    while connections.change(_fill_documents):
        pass
    if chunks:
        connections.change(settle_words)
    return chunks


def _fill_chunks(db: Connection) -> int:
    """Fill one batch; how many rows were in it."""
    found = db.execute(
        encode_sql(
            f"""SELECT c."row", {rows.CHUNK_COLUMNS} FROM chunks c JOIN documents d ON d.number = c.document
                WHERE {_LACKING} ORDER BY c."row" LIMIT %s FOR UPDATE OF c SKIP LOCKED"""
        ),
        (_BATCH,),
    ).fetchall()
    analyzer = build_analyzer()
    values = [(*texts.chunk_values(analyzer, rows.read_chunk(row[1:])), row[0]) for row in found]
    columns = ", ".join(f"{name} = %s" for name in texts.CHUNK_COLUMNS)
    with db.cursor() as cursor:
        cursor.executemany(encode_sql(f'UPDATE chunks SET {columns} WHERE "row" = %s'), values)
    return len(found)


def _fill_documents(db: Connection) -> int:
    # A document that failed before it had a text has no words either.
    found = db.execute(
        encode_sql(
            f"""SELECT d.number, {rows.DOCUMENT_COLUMNS} FROM documents d JOIN texts t ON t.document = d.number
                WHERE d.words IS NULL ORDER BY d.number LIMIT %s FOR UPDATE OF d SKIP LOCKED"""
        ),
        (_BATCH // 10,),
    ).fetchall()
    analyzer = build_analyzer()
    values = [(*texts.document_values(analyzer, rows.read_document(row[1:])), row[0]) for row in found]
    columns = ", ".join(f"{name} = %s" for name in texts.DOCUMENT_COLUMNS)
    with db.cursor() as cursor:
        cursor.executemany(encode_sql(f"UPDATE documents SET {columns} WHERE number = %s"), values)
    return len(found)
