"""Which versions of which documents there are, in one number that does not hang on their order.

Each version of a document counts with a number of its own, the beginning of a digest of its id and content; a set of documents with the sum.
Every store gives the same fingerprint for the same documents. Two sets share one by chance once in 2^56.
"""

from __future__ import annotations

from ascertain.stores.digests import digest

BYTES = 7
"""Of a version's number, so that it is a positive integer of every database."""


def version_number(document_id: str, content_hash: str) -> int:
    """The number of one version of a document, below 2^56."""
    return int.from_bytes(digest(document_id, content_hash)[:BYTES], "big")


def fingerprint(total: int) -> str:
    """The sum of the numbers of some versions, as text."""
    return f"{total:x}"
