"""Whether what is noted of words agrees with the chunks, and counting it anew. Every function runs inside the caller's transaction.

Writers note differences by triggers (0004_words.sql), so they can only disagree when somebody switched these off.
"""

from __future__ import annotations

from ascertain.stores.postgres.connections import Connection
from ascertain.stores.postgres.text import statement

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
        statement(
            f"""SELECT EXISTS ({_TOTALS} EXCEPT {_NOTED_TOTALS}) OR EXISTS (
                SELECT FROM ({_COUNTED}) counted FULL JOIN ({_NOTED}) noted USING (lexeme)
                WHERE (counted.chunks, counted.titles) IS DISTINCT FROM (noted.chunks, noted.titles))"""
        )
    ).fetchone()
    return bool(row and row[0])


def recount(db: Connection) -> None:
    """Note every word as often as it occurs; writers wait."""
    db.execute("LOCK TABLE chunks IN SHARE MODE")
    db.execute("DELETE FROM word_changes")
    db.execute("DELETE FROM word_counts")
    db.execute(statement(f"INSERT INTO word_counts {_COUNTED}"))
    db.execute(
        statement(
            "INSERT INTO word_changes (chunks, length, title_length, lexemes, in_chunks, in_titles) "
            f"SELECT totals.*, '{{}}', '{{}}', '{{}}' FROM ({_TOTALS}) totals"
        )
    )
