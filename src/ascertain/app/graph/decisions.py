"""What somebody decides about names, which overrules every rule and can be taken back; and the themes of the graph."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from ascertain.answering.citations import cite_span
from ascertain.app.graph.view import GraphView, written_name
from ascertain.core.errors import CitationError, UsageError
from ascertain.core.graph import Pin
from ascertain.core.graph_results import CommunitiesView, CommunityView, Decided, Evidence, Merged, Merges
from ascertain.core.passages import OWN, Filter
from ascertain.graph.communities import Community
from ascertain.graph.keys import key_of
from ascertain.graph.resolution import Ground, Merge
from ascertain.graph.snapshot import Snapshot
from ascertain.graph.theme_finding import SMALLEST, Landscape, ThemeFinder
from ascertain.graph.themes import Representative
from ascertain.stores.graph_ports import GraphStore

if TYPE_CHECKING:
    from ascertain.app.graph.view import EvidenceReader


BY_HAND = "decided by hand"


def keep_decision(
    view: Callable[[], GraphView],
    store: GraphStore,
    tenant: str,
    names: tuple[str, str],
    *,
    same: bool,
    reason: str,
    now: datetime,
) -> Decided:
    """Keep the decision; ``view`` gives the graph as it is before and after."""
    seen = view()
    left, right = (_find_key(seen, name) for name in names)
    if left == right:
        raise UsageError(f"{names[0]!r} and {names[1]!r} are one name to the graph, which cannot be told apart")
    pin = Pin(left, right, same, reason or BY_HAND, now)
    store.pin(tenant, pin)
    return _build_decision(view().snapshot, pin)


def undo_decision(store: GraphStore, tenant: str, left: str, right: str) -> bool:
    """Take back what was decided about two names, in either order; whether anything was."""
    return store.unpin(tenant, key_of(left) or left, key_of(right) or right)


def list_merges(view: GraphView, store: GraphStore, tenant: str) -> Merges:
    """All decisions, and what rules make of names that some visible document has."""
    snapshot = view.snapshot
    decided = tuple(_build_decision(snapshot, pin) for pin in store.pins(tenant))
    merged = [
        _build_merge(view, merge, is_refused=is_refused)
        for some, is_refused in ((snapshot.merges, False), (snapshot.refused, True))
        for merge in some
        if merge.ground is not Ground.PIN and view.shows_merge(merge)
    ]
    return Merges(decided, tuple(merged))


def _find_key(view: GraphView, name: str) -> str:
    """The key of a name that some document has; UnknownEntity otherwise."""
    view.place(name)
    key = key_of(name)
    return name if name in view.snapshot.names or key not in view.snapshot.names else key


def _build_decision(snapshot: Snapshot, pin: Pin) -> Decided:
    are_same = snapshot.names.get(pin.left, pin.left) == snapshot.names.get(pin.right, pin.right)
    names = written_name(snapshot, pin.left), written_name(snapshot, pin.right)
    return Decided(*names, pin.same, pin.reason, pin.made_at, are_same == pin.same)


def _build_merge(view: GraphView, merge: Merge, *, is_refused: bool) -> Merged:
    snapshot = view.snapshot
    title = view.title_of(merge.document_id) if merge.document_id else ""
    return Merged(
        written_name(snapshot, merge.left), written_name(snapshot, merge.right), merge.reason, title, is_refused
    )


SHOWN_ENTITIES = 8


class Themes:
    """Reads the themes of what one tenant's documents say; those fetched for conversations have no part in them."""

    def __init__(
        self, theme_finder: ThemeFinder, view: Callable[[Snapshot], GraphView], reader: EvidenceReader, tenant: str
    ) -> None:
        self._theme_finder = theme_finder
        self._view = view
        self._reader = reader
        self._tenant = tenant

    def communities(self, level: int, limit: int, offset: int, evidence: int) -> CommunitiesView:
        """Those of ``level`` (the finest where there is none so fine), the largest first."""
        landscape = self._theme_finder.find_landscape(Filter(tenant=self._tenant, within=(OWN,)))
        if landscape is None:
            return CommunitiesView(0, 0, 0, ())
        levels = landscape.communities.levels
        chosen = min(level, levels - 1)
        found = landscape.communities.at(chosen)
        shown = [community for community in found if len(community.chunks) >= SMALLEST] or found
        view = self._view(landscape.snapshot)
        places = {id(community): str(place) for place, community in enumerate(landscape.communities.all)}
        described = tuple(
            self._build_community_view(landscape, community, view, places[id(community)], evidence)
            for community in shown[offset : offset + limit]
        )
        return CommunitiesView(chosen, levels, len(shown), described)

    def _build_community_view(
        self, landscape: Landscape, community: Community, view: GraphView, place: str, evidence: int
    ) -> CommunityView:
        theme = self._theme_finder.theme(landscape, community)
        sentences = self._cite_sentences(theme.description.sentences[:evidence])
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

    def _cite_sentences(self, sentences: Sequence[Representative]) -> tuple[Evidence, ...]:
        found: list[Evidence] = []
        for one in sentences:
            document = self._reader.document(one.chunk.document_id)
            if document is None:
                continue
            try:
                found.append(Evidence(one.chunk.id, cite_span(1, document, one.span)))
            except CitationError:
                continue  # the document was replaced between two reads
        return tuple(found)
