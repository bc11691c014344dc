"""Near-duplicates in the record: signatures indexed by their bands."""

from __future__ import annotations

import sqlite3

from ascertain.stores.rows import python_text, sql_text
from ascertain.stores.signatures import bands, most_similar


def store_bands(db: sqlite3.Connection, document: int, signature: bytes) -> None:
    """Index the signature of a document."""
    db.executemany(
        "INSERT OR IGNORE INTO signature_bands VALUES (?, ?)", [(band, document) for band in bands(signature)]
    )


def similar(
    db: sqlite3.Connection, signature: bytes, threshold: float, tenant: str
) -> list[tuple[str, float]]:
    """Searchable documents whose estimated Jaccard similarity reaches ``threshold``, best first, then by id."""
    keys = bands(signature)
    marks = ", ".join("?" * len(keys))
    candidates = db.execute(
        f"""SELECT id, signature FROM documents WHERE tenant = ? AND first_row IS NOT NULL AND number IN (
                SELECT document FROM signature_bands WHERE band IN ({marks}))""",
        (sql_text(tenant), *keys),
    )
    return most_similar(signature, ((python_text(name), other) for name, other in candidates), threshold)
