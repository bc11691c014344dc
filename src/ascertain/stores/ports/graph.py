"""The port of the graph store, and its results.

A graph store is a record: it stores the graphs of documents and returns them, whole or by name. What is computed from it
(entities, weights, walks, communities) is in ``ascertain.graph``. Every adapter passes ``tests/contract/graph``.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from ascertain.core.graph.nouns import AliasClaim, DocumentGraph, Mention, Name, Pin, Relation
from ascertain.core.service.status import GraphCounts, HealthReport

Indices = NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class GraphColumns:
    """The graph of one tenant's documents, in columns.

    Equal contents give equal columns in every store: ``documents`` are in order of id, ``chunk_ids`` by document and
    then as they stand in it, ``names`` in their own order, mentions by chunk, start and name; relations and aliases by
    chunk, start, and then their fields. ``chunk_document``, of shape (chunks,), is a place in ``documents``. Of shape
    (mentions,): ``mention_name`` a place in ``names``, ``mention_chunk`` a place in ``chunk_ids``, ``mention_sentence``
    where the sentence starts in its document, ``mention_role`` a place in the order of ``Role``.
    """

    generation: str
    documents: Sequence[str]
    conversations: Sequence[str | None]
    """Of each document."""
    chunk_ids: Sequence[str]
    chunk_document: Indices
    names: Sequence[Name]
    mention_name: Indices
    mention_chunk: Indices
    mention_sentence: Indices
    mention_role: Indices
    relations: Sequence[Relation]
    aliases: Sequence[AliasClaim]


class GraphStore(Protocol):
    """The graphs of documents, by tenant.

    Each document is written, replaced and removed in one step, and facts that no document states any more are removed with the last
    that stated them. Every method raises StoreError with the remedy when the store cannot be used; once a server is back,
    so is the store.
    """

    def upsert(self, graphs: Sequence[DocumentGraph]) -> None:
        """Write the graphs of documents, replacing earlier ones, each atomically. Durable when this returns."""
        ...

    def delete(self, tenant: str, document_ids: Sequence[str]) -> int:
        """Remove the graphs of these documents; how many of them were stored."""
        ...

    def known(self, tenant: str) -> dict[str, str]:
        """The version of each stored document, by its id."""
        ...

    def generation(self, tenant: str) -> str:
        """Changes with every change of the tenant's graph or pins. Cheap enough for every question."""
        ...

    def columns(self, tenant: str) -> GraphColumns:
        """Everything of a tenant, at one moment."""
        ...

    def mentions(self, tenant: str, keys: Sequence[str], limit: int = 1000) -> list[Mention]:
        """Where these names are mentioned, by chunk and start; the first ``limit`` of them."""
        ...

    def graphs(self, tenant: str, document_ids: Sequence[str]) -> list[DocumentGraph]:
        """The whole graphs of these documents, in this order; unknown ones are left out. Ordered as ``columns``."""
        ...

    def counts(self, tenant: str) -> GraphCounts:
        """The size."""
        ...

    def tenants(self) -> list[str]:
        """All tenants with a document here, by name."""
        ...

    def pin(self, tenant: str, pin: Pin) -> None:
        """Store a decision about two names, replacing an earlier one about the same two, in either order."""
        ...

    def unpin(self, tenant: str, left: str, right: str) -> bool:
        """Revert a decision; whether there was one."""
        ...

    def pins(self, tenant: str) -> list[Pin]:
        """All decisions, by left and right."""
        ...

    def summaries(self, tenant: str, digests: Sequence[str]) -> dict[str, str]:
        """Texts stored under these digests; unknown ones are left out."""
        ...

    def keep_summaries(self, tenant: str, texts: Mapping[str, str]) -> None:
        """Store texts by the digest of what they were written from. Does not change the generation."""
        ...

    def forget_summaries(self, tenant: str, keep: Sequence[str]) -> int:
        """Remove all texts but those under the digests in ``keep``; how many went."""
        ...

    def check(self) -> HealthReport:
        """The size of all tenants' graphs, their place, and their problems."""
        ...

    def close(self) -> None:
        """Release what is open; further calls raise StoreError."""
        ...
