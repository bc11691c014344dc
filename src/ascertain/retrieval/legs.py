"""The two legs of a search and the union of what they find."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from ascertain.core.chunks import Chunk
from ascertain.core.passages import Hit, Strategy
from ascertain.core.settings import RetrievalSettings
from ascertain.language.tokens import content_terms, stem
from ascertain.models.ports import Embedder
from ascertain.retrieval.question import PreparedQuestion, rarest
from ascertain.retrieval.title_match import inverse_document_frequency
from ascertain.stores.ports import CompleteStore

Vectors = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Candidates:
    """The union of both legs' hits, in order of chunk id, with both scores computed for every one of them.

    ``vectors`` are the chunks' rows, ``query`` the question's vector; both empty in a keyword search.
    ``lexical`` leaves out chunks without a word in common; ``terms`` are the words it was looked up by. ``idf`` weighs
    stems of the question and of the titles.
    """

    chunks: Sequence[Chunk]
    query: Vectors
    vectors: Vectors
    lexical: Mapping[str, float]
    rankings: Sequence[Sequence[str]]
    question_stems: tuple[str, ...]
    idf: Mapping[str, float] = field(default_factory=dict[str, float])
    terms: Mapping[str, float] = field(default_factory=dict[str, float])


class Legs:
    """Runs the dense and the lexical search of one store."""

    def __init__(self, store: CompleteStore, embedder: Embedder, settings: RetrievalSettings) -> None:
        self._store = store
        self._embedder = embedder
        self._settings = settings

    def candidates(self, question: PreparedQuestion, strategy: Strategy, k: int) -> Candidates:
        """At least ``k`` hits of each leg the strategy uses, where there are as many."""
        depth = max(self._settings.candidates, k)
        count = self._store.count(question.filter.tenant)
        frequencies = self._store.document_frequencies(list(question.terms))
        terms = rarest(question.terms, frequencies, count, self._settings.common_term_share)
        query = np.zeros(0, dtype=np.float32)
        dense: list[Hit] = []
        lexical: list[Hit] = []
        if strategy is not Strategy.KEYWORD:
            query = self._embedder.embed_query(question.text)
            dense = self._store.dense(query, depth, question.filter, self._settings.similarity_floor)
        if strategy is not Strategy.SEMANTIC and terms:
            lexical = self._store.lexical(terms, depth, question.filter)
        rankings = [[hit.chunk_id for hit in leg] for leg in (dense, lexical) if leg]
        chunks = self._store.get(sorted({chunk_id for ranking in rankings for chunk_id in ranking}))
        ids = [chunk.id for chunk in chunks]
        scores = {hit.chunk_id: hit.score for hit in lexical}
        unmatched = [chunk_id for chunk_id in ids if chunk_id not in scores]
        if lexical and unmatched:
            scores |= self._store.lexical_scores(terms, unmatched)
        vectors = self._store.vectors(ids) if query.size and ids else np.zeros((0, 0), dtype=np.float32)
        idf = self._idf(question.terms, frequencies, chunks, count)
        return Candidates(chunks, query, vectors, scores, rankings, content_terms(question.text), idf, terms)

    def joined(self, candidates: Candidates, chunk_ids: Sequence[str]) -> Candidates:
        """``candidates`` with further chunks, scored as the question's own; only those not among them are fetched."""
        known = {chunk.id for chunk in candidates.chunks}
        added = self._store.get(sorted(set(chunk_ids) - known))
        if not added:
            return candidates
        ids = [chunk.id for chunk in added]
        lexical = dict(candidates.lexical)
        if candidates.lexical:
            lexical |= self._store.lexical_scores(candidates.terms, ids)
        chunks, vectors = [*candidates.chunks, *added], candidates.vectors
        if candidates.query.size:
            found = self._store.vectors(ids)
            vectors = np.concatenate([vectors, found]) if vectors.size else found
        return replace(candidates, chunks=chunks, vectors=vectors, lexical=lexical)

    def _idf(
        self,
        terms: Mapping[str, float],
        frequencies: Mapping[str, int],
        chunks: Sequence[Chunk],
        count: int,
    ) -> dict[str, float]:
        known = {stem(term): frequencies[term] for term in terms if frequencies.get(term)}
        titles = {title for title in (chunk.title for chunk in chunks) if title}
        others = {word for title in titles for word in content_terms(title)} - known.keys()
        known |= {word: n for word, n in self._store.document_frequencies(sorted(others)).items() if n}
        return {word: inverse_document_frequency(n, count) for word, n in known.items()}
