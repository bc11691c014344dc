"""Which documents are written together."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ascertain.core.graph import DocumentGraph
from ascertain.stores.graph_packing import PackedGraph, packed

Batch = dict[str, PackedGraph]
"""Graphs of one tenant by document id."""


def batches(graphs: Iterable[DocumentGraph], most: int) -> Iterator[tuple[str, Batch]]:
    """``graphs`` as tenants and batches that say about ``most`` things at most, each document whole; of several graphs of one document the last."""
    batch: Batch = {}
    tenant, size = "", 0
    for graph in graphs:
        if batch and (graph.tenant != tenant or size >= most):
            yield tenant, batch
            batch, size = {}, 0
        tenant = graph.tenant
        one = packed(graph)
        batch[graph.document_id] = one
        size += 1 + len(one.mentions) + len(one.relations) + len(one.aliases)
    if batch:
        yield tenant, batch
