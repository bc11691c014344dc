"""The themes of a tenant's documents as people look at them: groups of entities, and the sentences that stand for each."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from ascertain.answering.citations import cite
from ascertain.core.errors import CitationError
from ascertain.core.filters import OWN, Filter
from ascertain.core.graph_results import CommunitiesView, CommunityView, Evidence
from ascertain.graph.communities import Community
from ascertain.graph.summaries import Representative
from ascertain.graph.surveying import SMALLEST, Landscape, Surveyor

if TYPE_CHECKING:
    from ascertain.app.graph_evidence import EvidenceReader
    from ascertain.app.graph_view import GraphView
    from ascertain.graph.snapshot import Snapshot

SHOWN_ENTITIES = 8


class Themes:
    """Reads the themes of what one tenant's documents say; those fetched for conversations have no part in them."""

    def __init__(
        self,
        surveyor: Surveyor,
        view: Callable[[Snapshot], GraphView],
        reader: EvidenceReader,
        tenant: str,
    ) -> None:
        self._surveyor = surveyor
        self._view = view
        self._reader = reader
        self._tenant = tenant

    def communities(self, level: int, limit: int, offset: int, evidence: int) -> CommunitiesView:
        """Those of ``level`` (the finest where there is none so fine), the largest first."""
        landscape = self._surveyor.landscape(Filter(tenant=self._tenant, within=(OWN,)))
        if landscape is None:
            return CommunitiesView(0, 0, 0, ())
        levels = landscape.communities.levels
        chosen = min(level, levels - 1)
        found = landscape.communities.at(chosen)
        shown = [community for community in found if len(community.chunks) >= SMALLEST] or found
        view = self._view(landscape.snapshot)
        places = {id(community): str(place) for place, community in enumerate(landscape.communities.all)}
        described = tuple(
            self._described(landscape, community, view, places[id(community)], evidence)
            for community in shown[offset : offset + limit]
        )
        return CommunitiesView(chosen, levels, len(shown), described)

    def _described(
        self, landscape: Landscape, community: Community, view: GraphView, place: str, evidence: int
    ) -> CommunityView:
        theme = self._surveyor.theme(landscape, community)
        sentences = self._evidence(theme.description.sentences[:evidence])
        return CommunityView(
            id=place,
            level=community.level,
            parent=None if community.parent is None else str(community.parent),
            label=theme.description.label,
            size=len(community.entities),
            documents=theme.documents,
            entities=tuple(view.entity(index) for index in community.entities[:SHOWN_ENTITIES].tolist()),
            summary=" ".join(one.citation.quote for one in sentences),
            evidence=sentences,
        )

    def _evidence(self, sentences: Sequence[Representative]) -> tuple[Evidence, ...]:
        found: list[Evidence] = []
        for one in sentences:
            document = self._reader.document(one.chunk.document_id)
            if document is None:
                continue
            try:
                found.append(Evidence(one.chunk.id, cite(1, document, one.span)))
            except CitationError:
                continue  # the document was replaced between two reads
        return tuple(found)
