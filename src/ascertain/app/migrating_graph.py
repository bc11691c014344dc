"""Copying the knowledge graph of one tenant from store to store, and comparing it.

Texts written about communities are not copied: they are kept by the digest of what they were written from, and written again when they are asked for.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass

from ascertain.app.store_addresses import Address
from ascertain.core.settings import GraphSettings
from ascertain.stores.graph_ports import GraphStore
from ascertain.stores.registry import open_graph

BATCH_DOCUMENTS = 50
"""Documents read and written at a time; one of a hundred chunks says some thousand things."""


@dataclass(frozen=True, slots=True)
class CopiedGraph:
    """Documents whose graph was written, and decisions about names."""

    documents: int = 0
    pins: int = 0


@contextmanager
def opened_graphs(
    settings: GraphSettings, source: Address, target: Address
) -> Generator[tuple[GraphStore, GraphStore]]:
    """The graphs at both ends, where ``settings`` say that graphs are."""
    with ExitStack() as opened:
        graphs: list[GraphStore] = []
        for address in (source, target):
            graphs.append(open_graph(settings, address.store, address.home))
            opened.callback(graphs[-1].close)
        yield graphs[0], graphs[1]


def copy_graph(source: GraphStore, target: GraphStore, tenant: str, merge: bool) -> CopiedGraph:
    """Bring what the documents of ``tenant`` say to ``target``; what is of the same version there is left alone."""
    ours, theirs = source.known(tenant), target.known(tenant)
    written = 0
    for ids in _batches([name for name, version in ours.items() if theirs.get(name) != version]):
        graphs = source.graphs(tenant, ids)
        target.upsert(graphs)
        written += len(graphs)
    if not merge:
        target.delete(tenant, [name for name in theirs if name not in ours])
    there = target.pins(tenant)
    missing = [pin for pin in source.pins(tenant) if pin not in there]
    for pin in missing:
        target.pin(tenant, pin)
    return CopiedGraph(written, len(missing))


def graph_differences(
    source: GraphStore, target: GraphStore, tenant: str, place: str, merge: bool
) -> Iterator[str]:
    """A line for each thing in which the graph at ``place``, the target, differs from its source."""
    ours, theirs = source.known(tenant), target.known(tenant)
    for ids in _batches(list(ours)):
        there = {graph.document_id: graph for graph in target.graphs(tenant, ids)}
        for graph in source.graphs(tenant, ids):
            other = there.get(graph.document_id)
            if other != graph:
                how = "missing" if other is None else "not the same"
                yield f"the graph of document {graph.document_id} is {how} in {place}"
    if not merge:
        yield from (f"{place} has a graph of the document {name}" for name in theirs if name not in ours)
    decided = target.pins(tenant)
    for pin in source.pins(tenant):
        if pin not in decided:
            yield f"the decision about {pin.left!r} and {pin.right!r} is missing in {place}"


def _batches(ids: Sequence[str]) -> Iterator[Sequence[str]]:
    for start in range(0, len(ids), BATCH_DOCUMENTS):
        yield ids[start : start + BATCH_DOCUMENTS]
