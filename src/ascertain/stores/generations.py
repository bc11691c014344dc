"""Generations of vectors: which embedding model a store was built with."""

from __future__ import annotations

from dataclasses import dataclass

from ascertain.core.errors import EmbeddingMismatch


@dataclass(frozen=True, slots=True)
class Generation:
    """One embedding model's vectors."""

    number: int
    model: str
    dimension: int

    def is_of(self, model: str, dimension: int) -> bool:
        """Whether its vectors are of this model and dimension."""
        return (self.model, self.dimension) == (model, dimension)


def mismatch(place: object, stored: Generation, model: str, dimension: int) -> EmbeddingMismatch:
    """The error for vectors of another model; ``place`` names the home or the server, without secrets."""
    return EmbeddingMismatch(
        f"the knowledge base in {place} was built with the embedding model {stored.model} "
        f"({stored.dimension} dimensions), not {model} ({dimension} dimensions): set models.embedder to "
        f"{stored.model}, or run `ascertain reindex` to move it to {model}"
    )
