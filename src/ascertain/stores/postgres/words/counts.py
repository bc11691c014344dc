"""A recount of words where the stored counts are wrong.

Writers note differences by triggers (schema.sql), so they are wrong only if these were switched off.
"""

from ascertain.stores.postgres.connections import Connection

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
