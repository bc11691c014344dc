"""Words for chunks that have none yet, and a recount where the stored counts are wrong.

Writers note differences by triggers (0004_words.sql), so they are wrong only if these were switched off.
"""

from collections.abc import Sequence

from ascertain.stores.postgres.connections import Connection, Connections
from ascertain.stores.postgres.dialect import encode_marks
from ascertain.stores.postgres.words import texts
from ascertain.stores.postgres.words.search import settle_words
from ascertain.stores.records import rows
from ascertain.stores.records.text_analysis import build_analyzer

_COUNTED = """
    SELECT lexeme, count(*) FILTER (WHERE weights && '{B,C}') AS chunks,
        count(*) FILTER (WHERE weights[1] = 'A') AS titles
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


def differ_from_chunks(db: Connection) -> bool:
    """Whether the stored count of some word is wrong."""
    found = db.fetch_rows(
        f"""SELECT EXISTS ({_TOTALS} EXCEPT {_NOTED_TOTALS}) OR EXISTS (
            SELECT FROM ({_COUNTED}) counted FULL JOIN ({_NOTED}) noted USING (lexeme)
            WHERE (counted.chunks, counted.titles) IS DISTINCT FROM (noted.chunks, noted.titles))"""
    )
    return bool(found[0][0])


def recount_words(db: Connection) -> None:
    """Recount every word; writers wait."""
    db.execute("LOCK TABLE chunks IN SHARE MODE")
    db.execute("DELETE FROM word_changes")
    db.execute("DELETE FROM word_counts")
    db.change_rows(f"INSERT INTO word_counts {_COUNTED}")
    db.change_rows(
        "INSERT INTO word_changes (chunks, length, title_length, lexemes, in_chunks, in_titles) "
        f"SELECT totals.*, '{{}}', '{{}}', '{{}}' FROM ({_TOTALS}) totals"
    )


_BATCH = 500
_LACKING = "c.words IS NULL AND NOT c.is_parent"


def lacks_words(db: Connection) -> bool:
    """Whether chunks cannot be found by words yet."""
    return bool(db.fetch_rows(f"SELECT FROM chunks c WHERE {_LACKING} LIMIT 1"))


def fill_words(connections: Connections) -> int:
    """Give words to all chunks and documents that lack them; how many chunks. Safe from several machines at once.

    The second half of the step 0004_words: PostgreSQL cannot analyse texts as all stores do, so it is done from here, a
    batch at a time. Interrupted, the next call continues.
    """
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
    found = db.fetch_rows(
        f"""SELECT c."row", {rows.CHUNK_COLUMNS} FROM chunks c JOIN documents d ON d.number = c.document
            WHERE {_LACKING} ORDER BY c."row" LIMIT ? FOR UPDATE OF c SKIP LOCKED""",
        _BATCH,
    )
    analyzer = build_analyzer()
    values = [(*texts.chunk_values(analyzer, rows.read_chunk(row[1:])), row[0]) for row in found]
    _set_columns(db, texts.CHUNK_COLUMNS, 'chunks "row"', values)
    return len(found)


def _fill_documents(db: Connection) -> int:
    # A document that failed before it had a text has no words either.
    found = db.fetch_rows(
        f"""SELECT d.number, {rows.DOCUMENT_COLUMNS} FROM documents d JOIN texts t ON t.document = d.number
            WHERE d.words IS NULL ORDER BY d.number LIMIT ? FOR UPDATE OF d SKIP LOCKED""",
        _BATCH // 10,
    )
    analyzer = build_analyzer()
    values = [(*texts.document_values(analyzer, rows.read_document(row[1:])), row[0]) for row in found]
    _set_columns(db, texts.DOCUMENT_COLUMNS, "documents number", values)
    return len(found)


def _set_columns(db: Connection, columns: Sequence[str], place: str, values: Sequence[Sequence[object]]) -> None:
    """Set columns of the rows of ``place``, a table and its key, which comes last in each of ``values``."""
    table, key = place.split()
    setting = ", ".join(f"{name} = ?" for name in columns)
    with db.cursor() as cursor:
        cursor.executemany(encode_marks(f"UPDATE {table} SET {setting} WHERE {key} = ?"), values)
