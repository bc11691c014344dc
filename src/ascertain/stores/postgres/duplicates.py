"""Near-duplicates: signatures indexed by their bands."""

from __future__ import annotations

from collections.abc import Sequence

from ascertain.stores.postgres.bulk import copy_rows
from ascertain.stores.postgres.connections import Connection
from ascertain.stores.signatures import bands, most_similar


def store_bands(db: Connection, signatures: Sequence[tuple[int, bytes]]) -> None:
    """Index the signatures of documents, given with their numbers."""
    rows = [(band, number) for number, signature in signatures for band in set(bands(signature))]
    copy_rows(db, "signature_bands (band, document)", rows)


def similar(db: Connection, signature: bytes, threshold: float, tenant: str) -> list[tuple[str, float]]:
    """Searchable documents whose estimated Jaccard similarity reaches ``threshold``, best first, then by id."""
    candidates = db.execute(
        """SELECT id, signature FROM documents WHERE tenant = %s AND first_row IS NOT NULL AND number IN (
               SELECT document FROM signature_bands WHERE band = ANY(%s))""",
        (tenant, bands(signature)),
    )
    return most_similar(signature, candidates, threshold)
