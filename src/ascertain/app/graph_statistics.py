"""How much the graph of a tenant holds."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import numpy as np

from ascertain.app.graph_exporting import pairs
from ascertain.core.graph_results import GraphStats
from ascertain.graph.catching_up import difference

if TYPE_CHECKING:
    from ascertain.app.graph_view import GraphView
    from ascertain.app.opened import Opened


def statistics(opened: Opened, tenant: str, view: GraphView, top: int) -> GraphStats:
    """Counts over what ``view`` shows, with its ``top`` entities."""
    snapshot, rows = view.snapshot, view.shown
    chunks = np.unique(snapshot.mention_chunk[rows])
    named = np.flatnonzero(view.chunk_counts)
    kinds = Counter(snapshot.kinds[index] or "unknown" for index in named.tolist())
    builds = opened.settings.graph.build
    behind = difference(opened.store(), opened.graph.upkeep, tenant).behind if builds else 0
    return GraphStats(
        enabled=builds or bool(snapshot.documents),
        extractor=opened.graph.extractor.name if builds else "",
        documents=view.documents,
        chunks=len(chunks),
        entities=len(named),
        mentions=len(rows),
        relations=sum(view.shows(relation.chunk_id) for relation in snapshot.relations),
        links=len(pairs(view)[0]),
        behind=behind,
        by_kind=dict(kinds.most_common()),
        top=tuple(view.top(top)),
    )
