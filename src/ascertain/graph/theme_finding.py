"""The themes of the passages that a question may see, with typical sentences for each.

Themes are found in the visible passages alone, so that no name or sentence of another conversation or of a
document that the filter leaves out affects them. A question that narrows itself ("... about energy") is answered
from the passages that are about that.
"""

import hashlib
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from ascertain.core.asking.passages import OWN, Filter
from ascertain.core.documents.documents import DocumentState
from ascertain.core.reports.overviews import Description, FoundThemes, Theme
from ascertain.graph.communities import Communities, Community, find_communities
from ascertain.graph.snapshot import Mask, Snapshot
from ascertain.graph.themes import describe_community, with_themes
from ascertain.language.tokens import content_terms
from ascertain.models.ports import Embedder
from ascertain.models.vectors.similarity import PLAIN, SimilarityScale
from ascertain.stores.ports.chunks import CompleteStore, Vectors
from ascertain.stores.records.vectors import fetch_vectors

KEPT = 4
"""Landscapes kept in memory, the most recently used; a few megabytes each for 100,000 passages."""
FEWEST = 3
"""Themes of a level that divides what it holds; with fewer, the next finer level is shown."""
SMALLEST = 2
"""Passages of a theme; one passage alone is not a theme of a collection."""
ABOUT = 500
"""Passages that are looked at, by words and by meaning each, for what a narrowed question is about."""
NEAR = 0.45
"""Cosine from which a passage is about a subject: what a sufficient search finds at least (RE-8)."""
COVERED = 0.75
"""Share of a subject's words from which a passage is about it."""


@dataclass(frozen=True, eq=False)
class Landscape:
    """The themes of what may be seen. ``documents`` and ``passages`` count all that the question may see, ``..._read``
    those that name anything and so fall into some theme. ``level`` is the level whose themes are shown, the largest
    first.
    """

    snapshot: Snapshot
    communities: Communities
    level: int
    documents: int
    passages: int
    documents_read: int
    passages_read: int
    described: dict[int, Description] = field(default_factory=dict[int, Description])

    @property
    def themes(self) -> list[Community]:
        """Those of at least SMALLEST passages; all of them, where none has so many."""
        found = self.communities.at(self.level)
        return [community for community in found if len(community.chunks) >= SMALLEST] or found


class ThemeFinder:
    """Finds the themes of one tenant's part of a store; ``snapshot`` gives the tenant's graph as it is now. Safe to
    share between threads.
    """

    def __init__(
        self,
        snapshot: Callable[[str], Snapshot],
        store: CompleteStore,
        embedder: Callable[[], Embedder],
        scale: Callable[[], SimilarityScale] = lambda: PLAIN,
    ) -> None:
        self._snapshot = snapshot
        self._store = store
        self._embedder = embedder
        self._scale = scale
        self._kept: dict[str, Landscape] = {}
        self._lock = threading.Lock()

    def find_landscape(self, filter: Filter, language: str, focus: str = "") -> Landscape | None:
        """The themes of what ``filter`` selects, narrowed to ``focus``; None where there is no graph of it, or nothing
        about that.

        Raises StoreError when the store or the graph cannot be read, ModelError when ``focus`` cannot be embedded.
        """
        snapshot = self._snapshot(filter.tenant)
        if not len(snapshot.chunk_ids) or filter.names_chunks:
            return None
        visible, documents = self._visible_chunks(snapshot, filter)
        if focus:
            visible &= self._chunks_about(snapshot, filter, focus, language)
            documents = len(np.unique(snapshot.chunk_document[visible]))
        if not visible.any():
            return None
        digest = hashlib.sha256(np.packbits(visible).tobytes()).hexdigest()
        key = f"{filter.tenant}\n{snapshot.generation}\n{documents}\n{digest}"
        with self._lock:
            landscape = self._kept.pop(key, None)
        landscape = landscape or self._build_landscape(snapshot, visible, documents)
        with self._lock:
            self._kept[key] = landscape
            while len(self._kept) > KEPT:
                del self._kept[next(iter(self._kept))]
        return landscape if landscape.passages_read else None

    def theme(self, landscape: Landscape, community: Community) -> Theme:
        """A community of a landscape with its typical sentences."""
        place = int(community.chunks[0])
        description = landscape.described.get(place)
        if description is None:
            description = describe_community(community, landscape.snapshot, self._store)
            landscape.described[place] = description
        share = len(community.chunks) / max(1, landscape.passages)
        return Theme(share, len(community.chunks), len(community.documents), description)

    def find_themes(self, filter: Filter, language: str, focus: str = "") -> FoundThemes | None:
        """``landscape`` as an answer sees it."""
        landscape = self.find_landscape(filter, language, focus)
        if landscape is None:
            return None
        themes = landscape.themes
        return FoundThemes(
            documents=landscape.documents,
            passages=landscape.passages,
            documents_read=landscape.documents_read,
            passages_read=landscape.passages_read,
            themes=len(themes),
            theme=lambda number: self.theme(landscape, themes[number]),
        )

    def _build_landscape(self, snapshot: Snapshot, visible: Mask, documents: int) -> Landscape:
        named = find_communities(snapshot, visible)
        communities = with_themes(named, snapshot, self._fetch_vectors, visible)
        return Landscape(
            snapshot,
            communities,
            _telling_level(communities),
            max(documents, communities.documents),
            communities.chunks,
            communities.documents_read,
            communities.chunks_read,
        )

    def _visible_chunks(self, snapshot: Snapshot, filter: Filter) -> tuple[Mask, int]:
        """Which chunks of the graph may be seen, and how many documents of the store may be."""
        conversations = (filter.conversation_id,) if filter.conversation_id is not None else filter.within
        if filter.is_plain:
            mask = snapshot.visible(conversations=conversations)
            hidden = {
                document
                for document, conversation in zip(snapshot.documents, snapshot.conversations, strict=True)
                if conversations is not None and (conversation or OWN) not in conversations
            }
            return mask, len(self._store.known(filter.tenant).keys() - hidden)
        searchable = {DocumentState.INDEXED, DocumentState.DUPLICATE}
        selected = {record.id for record in self._store.documents(filter) if record.state in searchable}
        return snapshot.visible(conversations=conversations, documents=selected), len(selected)

    def _chunks_about(self, snapshot: Snapshot, filter: Filter, focus: str, language: str) -> Mask:
        """The passages that speak of ``focus``: by most of its words, or by what they mean."""
        place = snapshot.chunk_place
        mask = np.zeros(len(snapshot.chunk_ids), dtype=np.bool_)
        wanted = set(content_terms(focus, language))
        hits = self._store.lexical(dict.fromkeys(focus.split(), 1.0), ABOUT, filter) if wanted else []
        for chunk in self._store.get([hit.chunk_id for hit in hits]):
            covered = len(wanted & set(content_terms(chunk.indexed_text, language))) / len(wanted)
            if covered >= COVERED and chunk.id in place:
                mask[place[chunk.id]] = True
        for hit in self._store.dense(self._embedder().embed_query(focus), ABOUT, filter, self._scale().invert(NEAR)):
            if hit.chunk_id in place:
                mask[place[hit.chunk_id]] = True
        return mask

    def _fetch_vectors(self, chunk_ids: Sequence[str]) -> Vectors:
        """Those of the store; zeros for chunks that the store no longer has and the graph still has."""
        there, rows = fetch_vectors(self._store, chunk_ids)
        if len(there) == len(chunk_ids):
            return rows
        place = {chunk_id: row for row, chunk_id in enumerate(there)}
        vectors = np.zeros((len(chunk_ids), rows.shape[1] if there else 1), dtype=np.float32)
        for number, chunk_id in enumerate(chunk_ids):
            if chunk_id in place:
                vectors[number] = rows[place[chunk_id]]
        return vectors


def _telling_level(communities: Communities) -> int:
    """The coarsest level with FEWEST themes or more; else the one with most, the coarser where they are alike."""
    counts = [
        sum(len(community.chunks) >= SMALLEST for community in communities.at(level))
        for level in range(communities.levels)
    ]
    for level, count in enumerate(counts):
        if count >= FEWEST:
            return level
    return counts.index(max(counts)) if counts else 0
