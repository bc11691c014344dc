"""Vectors as all stores hold them, of one embedding model at a time; and the best hits."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ascertain.core.asking.passages import Hit
from ascertain.core.documents.documents import Chunk
from ascertain.core.errors import EmbeddingMismatch, StoreError
from ascertain.stores.ports.chunks import CompleteStore, Vectors


@dataclass(frozen=True, slots=True)
class Generation:
    """One embedding model's vectors."""

    number: int
    model: str
    dimension: int

    def is_of(self, model: str, dimension: int) -> bool:
        """Whether its vectors are of this model and dimension."""
        return (self.model, self.dimension) == (model, dimension)


def mismatch_error(place: object, stored: Generation, model: str, dimension: int) -> EmbeddingMismatch:
    """The error for vectors of another model; ``place`` names the home or the server, without secrets."""
    return EmbeddingMismatch(
        f"the knowledge base in {place} was built with the embedding model {stored.model} "
        f"({stored.dimension} dimensions), not {model} ({dimension} dimensions): set models.embedder to "
        f"{stored.model}, or run `ascertain reindex` to move it to {model}"
    )


# Fetched beyond k, for rows that are gone and for ties at the end.
_SLACK = 32
_TIES_AT_MOST = 10_000
_UNIT_TOLERANCE = 0.1
"""Of a squared length: vectors kept in eight bits, as Qdrant may, are within a hundredth."""

Fetch = Callable[[int], Sequence[tuple[int, float]]]
Resolve = Callable[[Sequence[int]], dict[int, str]]


def top_hits(fetch: Fetch, resolve: Resolve, k: int) -> list[Hit]:
    """The ``k`` best hits, equal scores by chunk id.

    ``fetch(limit)`` gives the best ``limit`` rows with scores, best first; ``resolve(rows)`` the chunk id of each that
    exists. Fetches more while too few exist, or while the k-th score is also the last one fetched (a tie that may go
    on); a tie of more than 10,000 chunks is cut by row.
    """
    if k < 1:
        return []
    limit = k + _SLACK
    while True:
        found = fetch(limit)
        ids = resolve([row for row, _ in found])
        ranked = sorted((-score, ids[row]) for row, score in found if row in ids)
        is_complete = len(found) < limit or limit > k + _TIES_AT_MOST
        if is_complete or (len(ranked) >= k and -ranked[k - 1][0] > found[-1][1]):
            return [Hit(chunk_id, -negative) for negative, chunk_id in ranked[:k]]
        limit *= 4


# A unit vector of up to 4,096 numbers in float16 is shorter or longer than 1 by at most half an ulp of its largest,
# 2^-11.
_HALF_ROUNDING = 2**-11


def scale_to_unit(vectors: Vectors) -> Vectors:
    """Rows scaled to length 1, so that inner products are cosines; zero rows stay zero."""
    array = np.asarray(vectors, np.float32)
    norms = np.linalg.norm(array, axis=-1, keepdims=True)
    return np.divide(array, norms, out=np.zeros_like(array), where=norms != 0)


def stored_form(vectors: Vectors) -> NDArray[np.float16]:
    """Unit rows as float16; the cosine of two such rows differs from float32 by less than 0.001.

    Rows that a store returned are taken as they are, to the bit: their length is 1 except for rounding.
    """
    array = np.asarray(vectors, np.float32)
    halves = array.astype(np.float16)
    is_stored = (halves == array).all(axis=-1, keepdims=True) & (
        np.abs(np.linalg.norm(array, axis=-1, keepdims=True) - 1) < _HALF_ROUNDING
    )
    return np.where(is_stored, halves, scale_to_unit(array).astype(np.float16))


def cosine_scores(products: NDArray[np.floating]) -> NDArray[np.float64]:
    """Inner products of unit vectors as scores: in -1..1, to six decimals.

    A vector's product differs in the last bits with the code that computes it (graph, scan, gather); without rounding
    equal vectors would not tie. float16 leaves no meaning in the later decimals.
    """
    return np.round(np.clip(products.astype(np.float64), -1, 1), 6)


def query_vector(vector: Vectors, dimension: int) -> Vectors | None:
    """A query as a unit vector of shape ``(dimension,)``; None when it has another length.

    Raises StoreError when it is not finite.
    """
    query = scale_to_unit(np.asarray(vector, np.float32).reshape(-1))
    if len(query) != dimension:
        return None
    if not np.isfinite(query).all():
        raise StoreError("the embedding model returned a query vector that is not finite")
    return np.ascontiguousarray(query)


def fetch_vectors(store: CompleteStore, chunk_ids: Sequence[str]) -> tuple[list[str], Vectors]:
    """The chunks that still exist, and their vectors: some may have been deleted since they were found."""
    there = list(chunk_ids)
    while True:
        try:
            return there, _drop_damaged(store.vectors(there))
        except StoreError:
            left = {chunk.id for chunk in store.get(there)}
            if left.issuperset(there):
                raise
            there = [chunk_id for chunk_id in there if chunk_id in left]


def _drop_damaged(vectors: Vectors) -> Vectors:
    """Vectors are of unit length; one that is not was damaged on the disk, and is near to nothing."""
    with np.errstate(invalid="ignore", over="ignore"):
        is_unit = np.abs(np.einsum("ij,ij->i", vectors, vectors) - 1) < _UNIT_TOLERANCE
    return vectors if is_unit.all() else np.where(is_unit[:, None], vectors, 0).astype(vectors.dtype)


def keep_there(chunks: Sequence[Chunk], chunk_ids: Sequence[str]) -> list[Chunk]:
    """Those of ``chunks`` that ``fetch_vectors`` found."""
    if len(chunk_ids) == len(chunks):
        return list(chunks)
    left = set(chunk_ids)
    return [chunk for chunk in chunks if chunk.id in left]
