"""The sentences behind what the graph says, as citations that are checked against the stored text."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from ascertain.answering.citations import cite
from ascertain.core.chunks import Chunk
from ascertain.core.documents import Document
from ascertain.core.errors import CitationError
from ascertain.core.graph_results import Evidence
from ascertain.core.spans import Span
from ascertain.graph.snapshot_links import Place
from ascertain.language.sentences import split_sentences
from ascertain.stores.ports import CompleteStore


class EvidenceReader:
    """Reads chunks and documents, each once; for one answer of the graph."""

    def __init__(self, store: CompleteStore) -> None:
        self._get: Callable[[Sequence[str]], list[Chunk]] = store.get
        self._document: Callable[[str], Document | None] = store.document
        self._chunks: dict[str, Chunk] = {}
        self._documents: dict[str, Document | None] = {}

    def fetch(self, chunk_ids: Iterable[str]) -> None:
        """Read these chunks together, for what is asked of them next."""
        wanted = [chunk_id for chunk_id in dict.fromkeys(chunk_ids) if chunk_id not in self._chunks]
        self._chunks |= {chunk.id: chunk for chunk in self._get(wanted)} if wanted else {}

    def evidence(self, places: Sequence[Place]) -> tuple[Evidence, ...]:
        """The sentences at ``places``, each once; what was deleted since the graph was read is left out."""
        self.fetch(place.chunk_id for place in places)
        found: dict[tuple[str, Span], Evidence] = {}
        for place in places:
            one = self._evidence(place)
            if one is not None:
                found.setdefault((one.citation.document_id, one.citation.span), one)
        return tuple(found.values())

    def document(self, document_id: str) -> Document | None:
        """The document of this id, read once."""
        if document_id not in self._documents:
            self._documents[document_id] = self._document(document_id)
        return self._documents[document_id]

    def _evidence(self, place: Place) -> Evidence | None:
        chunk = self._chunks.get(place.chunk_id)
        document = self.document(chunk.document_id) if chunk else None
        if chunk is None or document is None:
            return None
        span = place.relation.sentence if place.relation else sentence_at(chunk, place.sentence)
        try:
            return Evidence(chunk.id, cite(1, document, span), place.relation)
        except CitationError:
            return None  # the document was replaced between two reads


def sentence_at(chunk: Chunk, start: int) -> Span:
    """The sentence of ``chunk`` that begins, or else lies, at ``start`` in the document; the first one where none does."""
    sentences = [span.shift(chunk.span.start) for span in split_sentences(chunk.text)] or [chunk.span]
    around = (span for span in sentences if span.start <= start < span.end)
    return next((span for span in sentences if span.start == start), next(around, sentences[0]))
