"""Ranking of candidates: fusion, feedback, title match."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ascertain.core.passages import Passage, Strategy
from ascertain.core.settings import RetrievalSettings
from ascertain.retrieval.feedback import moved_query
from ascertain.retrieval.fusion import convex_combination, reciprocal_rank_fusion
from ascertain.retrieval.legs import Candidates
from ascertain.retrieval.title_match import title_match


def rank(candidates: Candidates, strategy: Strategy, settings: RetrievalSettings) -> list[Passage]:
    """All candidates as passages, best first, scores in 0..1; ties by chunk id."""
    ids = [chunk.id for chunk in candidates.chunks]
    if not ids:
        return []
    cosine = _cosines(candidates, ids)
    titles = {
        chunk.id: title_match(chunk.title, candidates.question_stems, candidates.idf)
        for chunk in candidates.chunks
    }
    if strategy is Strategy.SEMANTIC:
        scores = {key: max(value, 0.0) for key, value in cosine.items()}
    elif strategy is Strategy.KEYWORD:
        scores = convex_combination({}, candidates.lexical, dense_weight=0.0)
    elif settings.fusion.method == "rrf":
        scores = reciprocal_rank_fusion(candidates.rankings)
    else:
        scores = _convex(candidates, ids, cosine, titles, settings)
    passages = [
        Passage(
            chunk,
            min(scores.get(chunk.id, 0.0), 1.0),
            _raw_scores(chunk.id, cosine, candidates.lexical, titles, scores),
        )
        for chunk in candidates.chunks
    ]
    return sorted(passages, key=lambda passage: (-passage.score, passage.chunk.id))


def _convex(
    candidates: Candidates,
    ids: list[str],
    cosine: Mapping[str, float],
    titles: Mapping[str, float],
    settings: RetrievalSettings,
) -> dict[str, float]:
    """Fuse, move the question towards the best candidate, fuse again; the title's share comes on top."""
    weight, title_weight = settings.fusion.dense_weight, settings.fusion.title_weight

    def fuse(dense: Mapping[str, float]) -> dict[str, float]:
        fused = convex_combination(dense, candidates.lexical, weight)
        return {
            key: (score + title_weight * titles.get(key, 0.0)) / (1.0 + title_weight)
            for key, score in fused.items()
        }

    first = fuse(cosine)
    if settings.fusion.feedback_weight == 0.0:
        return first
    best = min(range(len(ids)), key=lambda row: (-first[ids[row]], ids[row]))
    moved = moved_query(candidates.query, candidates.vectors[best], settings.fusion.feedback_weight)
    return fuse(dict(zip(ids, (candidates.vectors @ moved).tolist(), strict=True)))


def _cosines(candidates: Candidates, ids: list[str]) -> dict[str, float]:
    if candidates.vectors.size == 0:
        return {}
    similarities = np.clip(candidates.vectors @ candidates.query, -1.0, 1.0)
    return dict(zip(ids, similarities.tolist(), strict=True))


def _raw_scores(
    chunk_id: str,
    cosine: Mapping[str, float],
    lexical: Mapping[str, float],
    titles: Mapping[str, float],
    fused: Mapping[str, float],
) -> dict[str, float]:
    scores = {"fused": fused.get(chunk_id, 0.0), "title": titles.get(chunk_id, 0.0)}
    if chunk_id in cosine:
        scores["dense"] = cosine[chunk_id]
    if chunk_id in lexical:
        scores["lexical"] = lexical[chunk_id]
    return scores
