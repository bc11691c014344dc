"""What one question sees of the graph: the snapshot, the chunks its filter admits, the things it names."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from ascertain.core.filters import Filter
from ascertain.graph.linking import Match
from ascertain.graph.snapshot import Mask, Snapshot
from ascertain.stores.ports import CompleteStore


@dataclass(frozen=True, slots=True)
class GraphView:
    """``visible`` are the chunks that the filter admits, None for all; ``matches`` what the question names and such a chunk does."""

    snapshot: Snapshot
    visible: Mask | None
    matches: Sequence[Match]


def visible_chunks(snapshot: Snapshot, filter: Filter, store: CompleteStore) -> Mask | None:
    """Which chunks of ``snapshot`` the filter admits, None for all; the tenant is the snapshot's own.

    Documents are looked up in the store only where a condition is on what the graph does not know.
    """
    if filter.is_unrestricted:
        return None
    known = Filter(
        document_ids=filter.document_ids,
        chunk_ids=filter.chunk_ids,
        conversation_id=filter.conversation_id,
        within=filter.within,
        tenant=filter.tenant,
    )
    documents = set(filter.document_ids) or None
    if filter != known:
        admitted = {record.id for record in store.documents(replace(filter, chunk_ids=()))}
        documents = admitted if documents is None else documents & admitted
    conversations = None if filter.within is None else set(filter.within)
    if filter.conversation_id is not None:
        only = {filter.conversation_id}
        conversations = only if conversations is None else conversations & only
    mask = snapshot.visible(conversations, documents)
    if filter.chunk_ids:
        named = {snapshot.chunk_place[chunk] for chunk in filter.chunk_ids if chunk in snapshot.chunk_place}
        mask &= [place in named for place in range(len(mask))]
    return mask
