"""Ranking of candidates: fusion, feedback, title match."""

import math
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from ascertain.core.asking.passages import Hit, Passage, Strategy
from ascertain.core.documents.documents import Chunk
from ascertain.core.settings import RetrievalSettings
from ascertain.language.compounds import choose_parts, list_parts
from ascertain.language.languages import ENGLISH, detect_question_language
from ascertain.language.tokens import content_terms, stem_word
from ascertain.models.embed.cards import find_known_model
from ascertain.models.ports import Embedder
from ascertain.models.vectors.similarity import CROSSING, PLAIN, SimilarityScale
from ascertain.questions.reading.names import (
    AskedNames,
    find_named,
    find_subject,
    fold_key,
    has_entry,
    has_option,
    name_entry,
    read_asked_names,
)
from ascertain.retrieval.query.prepared import PreparedQuestion, keep_rarest
from ascertain.stores.ports.chunks import CompleteStore
from ascertain.stores.records.vectors import cosine_scores, fetch_vectors, keep_there

# Pseudo-relevance feedback on the dense leg: the question's vector is moved towards the best candidate of the first
# fused ranking and the candidates' cosines are taken again (Rocchio, 1971). What the best passage is about then pulls
# its companions up: +0.7 nDCG@10 on the mean of six dev sets (docs/benchmarks.md).

Vectors = NDArray[np.float32]


def moved_query(query: Vectors, best: Vectors, weight: float) -> Vectors:
    """Unit vector of ``query + weight · best``; all shapes ``(dimension,)``."""
    moved = query + np.float32(weight) * best
    norm = float(np.linalg.norm(moved))
    return query if norm == 0.0 else (moved / np.float32(norm)).astype(np.float32)


# Fusion. Convex combination of comparable scores over the union of both legs' candidates (Bruch, Gai & Ingber, TOIS 2023,
# arXiv 2210.11934), and reciprocal rank fusion where scores cannot be compared:
#     score(d) = Σ_legs  w_leg / (k + rank_leg(d)),  rank from 1
# Cormack, Clarke & Büttcher, SIGIR 2009 (k = 60).

K = TypeVar("K", bound=Hashable)
RRF_K = 60
"""Cormack, Clarke & Büttcher fixed it in a pilot study and found the choice not critical."""


def convex_combination(dense: Mapping[K, float], lexical: Mapping[K, float], dense_weight: float) -> dict[K, float]:
    """``w · max(cosine, 0) + (1 - w) · BM25 / max BM25`` for every key of either leg, in 0..1.

    The cosine comes on the scale of the built-in model and is used so: scaling it by the candidates' range would stretch
    the noise of a leg that found nothing. A key missing from ``lexical`` had no word in common with the question.
    """
    top = max(lexical.values(), default=0.0)
    keys = dict.fromkeys([*dense, *lexical])
    return {
        key: dense_weight * max(dense.get(key, 0.0), 0.0)
        + (1.0 - dense_weight) * (max(lexical.get(key, 0.0), 0.0) / top if top > 0 else 0.0)
        for key in keys
    }


def reciprocal_rank_fusion(
    rankings: Sequence[Sequence[K]], weights: Sequence[float] | None = None, k: int = RRF_K
) -> dict[K, float]:
    """Fused score of every key, scaled so that first place in every ranking gives 1.

    The raw score tops out at ``Σ w / (k + 1)``, about 0.03 for two legs, which would make any weight given to it beside
    other signals meaningless.
    """
    weights = weights or [1.0] * len(rankings)
    ceiling = sum(weights) / (k + 1)
    scores: dict[K, float] = {}
    for ranking, weight in zip(rankings, weights, strict=True):
        for rank, key in enumerate(ranking, start=1):
            scores[key] = scores.get(key, 0.0) + weight / (k + rank) / ceiling
    return scores


def inverse_document_frequency(frequency: int, chunks: int) -> float:
    """``ln(1 + (N - n + 0.5) / (n + 0.5))``, the non-negative form BM25 uses (Robertson & Zaragoza, 2009)."""
    return math.log1p((max(chunks, frequency) - frequency + 0.5) / (frequency + 0.5))


def title_match(title: str, question_stems: Iterable[str], idf: Mapping[str, float], language: str) -> float:
    """The share, 0..1, of the title's weight that the question names.

    Each stem of the title weighs its inverse document frequency; one without any is taken as the rarest known, since a
    word of a title stands in the index at least once.
    """
    stems = set(content_terms(title, language))
    if not stems:
        return 0.0
    rarest = max(idf.values(), default=1.0)
    asked = set(question_stems)
    total = sum(idf.get(stem, rarest) for stem in stems)
    named = sum(idf.get(stem, rarest) for stem in stems if stem in asked)
    return named / total if total > 0 else 0.0


@dataclass(frozen=True, slots=True)
class Candidates:
    """The union of both legs' hits, in order of chunk id, with both scores computed for every one of them.

    ``vectors`` are the chunks' rows, ``query`` the question's vector; both empty in a keyword search. ``lexical``
    leaves out chunks without a word in common; ``terms`` are the words it was looked up by. ``idf`` weighs stems of the
    question and of the titles; ``scale`` is that of the model that made the vectors.
    """

    chunks: Sequence[Chunk]
    query: Vectors
    vectors: Vectors
    lexical: Mapping[str, float]
    rankings: Sequence[Sequence[str]]
    question_stems: tuple[str, ...]
    idf: Mapping[str, float] = field(default_factory=dict[str, float])
    terms: Mapping[str, float] = field(default_factory=dict[str, float])
    scale: SimilarityScale = PLAIN
    key: tuple[str, ...] = ()
    """What the question wants explained, as ``fold_key`` gives it."""
    asked: AskedNames | None = None
    """The question, for the names of entries in it."""
    language: str = ""
    """The question's, where the embedding model reads many languages."""

    @property
    def crossing(self) -> frozenset[str]:
        """Chunks in another language than the question: a word that both have says nothing there, and the words that say the same are
        not the same.
        """
        if not self.language or not self.vectors.size:
            return frozenset()
        return frozenset(each.id for each in self.chunks if each.language and each.language != self.language)


class Legs:
    """Runs the dense and the lexical search of one store; ``scale`` is that of the embedding model's cosines."""

    def __init__(
        self, store: CompleteStore, embedder: Embedder, settings: RetrievalSettings, scale: SimilarityScale = PLAIN
    ) -> None:
        self._store = store
        self._embedder = embedder
        self._settings = settings
        self.scale = scale

    def candidates(self, question: PreparedQuestion, strategy: Strategy, k: int) -> Candidates:
        """At least ``k`` hits of each leg the strategy uses, where there are as many."""
        depth = max(self._settings.candidates, k)
        count = self._store.count(question.filter.tenant)
        frequencies = self._store.document_frequencies(list(question.terms))
        wanted, frequencies = self._add_parts(question.terms, frequencies, question.language)
        terms = keep_rarest(
            wanted,
            frequencies,
            count,
            self._settings.common_term_share,
            subjects=question.subjects,
            language=question.language,
        )
        query = np.zeros(0, dtype=np.float32)
        dense: list[Hit] = []
        lexical: list[Hit] = []
        if strategy is not Strategy.KEYWORD:
            query = self._embedder.embed_query(question.text)
            floor = self.scale.invert(self._settings.similarity_floor)
            dense = self._store.dense(query, depth, question.filter, floor)
        if strategy is not Strategy.SEMANTIC and terms:
            lexical = self._store.lexical(terms, depth, question.filter)
            if not lexical and len(terms) < len(wanted):
                # the rarer words occur in nothing that the filter selects
                terms = keep_rarest(wanted, frequencies, count, share=1.0, language=question.language)
                lexical = self._store.lexical(terms, depth, question.filter)
        rankings = [[hit.chunk_id for hit in leg] for leg in (dense, lexical) if leg]
        chunks = self._store.get(sorted({chunk_id for ranking in rankings for chunk_id in ranking}))
        vectors = np.zeros((0, 0), dtype=np.float32)
        if query.size and chunks:
            ids, vectors = fetch_vectors(self._store, [chunk.id for chunk in chunks])
            chunks = keep_there(chunks, ids)
        ids = [chunk.id for chunk in chunks]
        scores = {hit.chunk_id: hit.score for hit in lexical}
        unmatched = [chunk_id for chunk_id in ids if chunk_id not in scores]
        if lexical and unmatched:
            scores |= self._store.lexical_scores(terms, unmatched)
        idf = self._weigh_idf(question.terms, frequencies, chunks, count, language=question.language)
        return Candidates(
            chunks,
            query,
            vectors,
            scores,
            rankings,
            content_terms(question.text, question.language),
            idf,
            terms,
            self.scale,
            fold_key(find_subject(question.text, question.language), question.language),
            read_asked_names(question.text, question.language),
            self._read_language(question),
        )

    def _add_parts(
        self, terms: Mapping[str, float], frequencies: Mapping[str, int], language: str
    ) -> tuple[Mapping[str, float], Mapping[str, int]]:
        """``terms`` with the words that a compound is made of where no chunk has the compound, and how many have each."""
        parts = {term: list_parts(term, language) for term in terms if not frequencies.get(term)}
        asked = sorted({part for found in parts.values() for part in found})
        if not asked:
            return terms, frequencies
        known = self._store.document_frequencies(asked)
        chosen = {part: terms[term] for term in parts for part in choose_parts(term, known, language)}
        return {**chosen, **terms}, {**known, **frequencies}

    def _read_language(self, question: PreparedQuestion) -> str:
        known = find_known_model(self._embedder.name)
        if known is None or not known.is_multilingual:
            return ""
        return question.language if question.language != ENGLISH else detect_question_language(question.text) or ""

    def joined(self, candidates: Candidates, chunk_ids: Sequence[str]) -> Candidates:
        """``candidates`` with further chunks, scored as the question's own; only those not among them are fetched."""
        known = {chunk.id for chunk in candidates.chunks}
        added = self._store.get(sorted(set(chunk_ids) - known))
        found = np.zeros((0, 0), dtype=np.float32)
        if candidates.query.size and added:
            ids, found = fetch_vectors(self._store, [chunk.id for chunk in added])
            added = keep_there(added, ids)
        if not added:
            return candidates
        ids = [chunk.id for chunk in added]
        lexical = dict(candidates.lexical)
        if candidates.lexical:
            lexical |= self._store.lexical_scores(candidates.terms, ids)
        chunks, vectors = [*candidates.chunks, *added], candidates.vectors
        if candidates.query.size:
            vectors = np.concatenate([vectors, found]) if vectors.size else found
        return replace(candidates, chunks=chunks, vectors=vectors, lexical=lexical)

    def similarities(self, question: str, chunk_ids: Sequence[str]) -> dict[str, float]:
        """The cosine of each chunk to ``question``, on the common scale, by id."""
        if not chunk_ids:
            return {}
        there, vectors = fetch_vectors(self._store, chunk_ids)
        if not there:
            return {}
        found = self.scale.apply(cosine_scores(vectors @ self._embedder.embed_query(question)))
        return dict(zip(there, found.tolist(), strict=True))

    def _weigh_idf(
        self,
        terms: Mapping[str, float],
        frequencies: Mapping[str, int],
        chunks: Sequence[Chunk],
        count: int,
        *,
        language: str,
    ) -> dict[str, float]:
        known = {stem_word(term, language): frequencies[term] for term in terms if frequencies.get(term)}
        titles = {title for title in (chunk.title for chunk in chunks) if title}
        others = {word for title in titles for word in content_terms(title, language)} - known.keys()
        known |= {word: n for word, n in self._store.document_frequencies(sorted(others)).items() if n}
        return {word: inverse_document_frequency(n, count) for word, n in known.items()}


KEY_WEIGHT = 0.2
"""What a passage gains that has a heading or an entry called as what the question wants explained, beside scores of 0..1. On the manuals of
npm and pytest, which nothing was made for, 0.2 finds one answer more of 94 than 0, and 0.4 three fewer.
"""


NAMED_WEIGHT = 0.2
"""What a passage gains in which an entry of a list has a name that is all of the question."""


def _measure_named(chunk: Chunk, asked: AskedNames, candidates: Candidates) -> float:
    """How much of the question the name of ``chunk``, and that of an entry in it, are, each 0..1, by how rare their words are; a number, a
    code or an option is all of it.
    """
    rarest = max(candidates.idf.values(), default=1.0)
    total = sum(candidates.idf.get(stem, rarest) for stem in candidates.question_stems)
    over = [find_named(name, asked) for name in (chunk.title, chunk.heading.rpartition(" › ")[2])]
    entries = [name for line in chunk.text.splitlines() if (name := name_entry(line))]
    inside = [find_named(name, asked) for name in entries]
    is_certain = any(map(_has_digit, (term for terms in inside for term in terms)))
    if not total or is_certain or any(has_option(name, asked) for name in entries):
        return float(total > 0)
    most = max((sum(candidates.idf.get(stem, rarest) for stem in stems) for stems in inside), default=0.0)
    is_coded = any(map(_has_digit, (term for terms in over for term in terms)))
    return is_coded + min(most / total, 1.0)


def _has_digit(term: str) -> bool:
    return any(map(str.isdigit, term))


def rank_candidates(
    candidates: Candidates, strategy: Strategy, settings: RetrievalSettings, language: str
) -> list[Passage]:
    """All candidates as passages, best first, scores in 0..1; ties by chunk id."""
    ids = [chunk.id for chunk in candidates.chunks]
    if not ids:
        return []
    cosine = _cosine_scores(candidates, ids)
    matches = {
        title: title_match(title, candidates.question_stems, candidates.idf, language)
        for title in {chunk.title for chunk in candidates.chunks}
    }
    titles = {chunk.id: matches[chunk.title] for chunk in candidates.chunks}
    if strategy is Strategy.SEMANTIC:
        scores = {key: max(value, 0.0) for key, value in cosine.items()}
    elif strategy is Strategy.KEYWORD:
        scores = convex_combination({}, candidates.lexical, dense_weight=0.0)
    elif settings.fusion.method == "rrf":
        scores = reciprocal_rank_fusion(candidates.rankings)
    else:
        scores = _combine_scores(candidates, ids, cosine, titles, settings=settings)
    if candidates.asked is not None:
        named = {each.id: _measure_named(each, candidates.asked, candidates) for each in candidates.chunks}
        scores |= {key: scores.get(key, 0.0) + NAMED_WEIGHT * share for key, share in named.items() if share}
    if candidates.key:
        scores |= {
            each.id: scores.get(each.id, 0.0) + KEY_WEIGHT
            for each in candidates.chunks
            if has_entry(each.text, candidates.key, language)
        }
    most = max(candidates.lexical.values(), default=0.0)
    crossing = candidates.crossing
    passages: list[Passage] = []
    for chunk in candidates.chunks:
        raw = _raw_scores(chunk.id, cosine, candidates.lexical, titles, fused=scores)
        if chunk.id in crossing:
            raw[CROSSING] = 1.0
        score = min(scores.get(chunk.id, 0.0), 1.0)
        passages.append(Passage(chunk, score, raw, explanation=_explain_scores(raw, most, strategy)))
    return sorted(passages, key=lambda passage: (-passage.score, passage.chunk.id))


def _combine_scores(
    candidates: Candidates,
    ids: list[str],
    cosine: Mapping[str, float],
    titles: Mapping[str, float],
    *,
    settings: RetrievalSettings,
) -> dict[str, float]:
    """Fuse, move the question towards the best candidate, fuse again; the title's share comes on top."""
    weight, title_weight = settings.fusion.dense_weight, settings.fusion.title_weight

    crossing = candidates.crossing

    def fuse(dense: Mapping[str, float]) -> dict[str, float]:
        fused = convex_combination(dense, candidates.lexical, weight)
        return {
            key: max(dense.get(key, 0.0), 0.0)
            if key in crossing
            else (score + title_weight * titles.get(key, 0.0)) / (1.0 + title_weight)
            for key, score in fused.items()
        }

    first = fuse(cosine)
    if settings.fusion.feedback_weight == 0.0:
        return first
    best = min(range(len(ids)), key=lambda row: (-first[ids[row]], ids[row]))
    moved = moved_query(candidates.query, candidates.vectors[best], settings.fusion.feedback_weight)
    again = dict(zip(ids, candidates.scale.apply(cosine_scores(candidates.vectors @ moved)).tolist(), strict=True))
    # the best passage in another language pulls up what is worded like it: three of 160 questions across languages were lost by that
    return fuse({key: cosine[key] if key in crossing else score for key, score in again.items()})


def _cosine_scores(candidates: Candidates, ids: list[str]) -> dict[str, float]:
    if candidates.vectors.size == 0:
        return {}
    similarities = candidates.scale.apply(cosine_scores(candidates.vectors @ candidates.query))
    return dict(zip(ids, similarities.tolist(), strict=True))


def _raw_scores(
    chunk_id: str,
    cosine: Mapping[str, float],
    lexical: Mapping[str, float],
    titles: Mapping[str, float],
    *,
    fused: Mapping[str, float],
) -> dict[str, float]:
    scores = {"fused": fused.get(chunk_id, 0.0), "title": titles.get(chunk_id, 0.0)}
    if chunk_id in cosine:
        scores["dense"] = cosine[chunk_id]
    if chunk_id in lexical:
        scores["lexical"] = lexical[chunk_id]
    return scores


def _explain_scores(scores: Mapping[str, float], most_lexical: float, strategy: Strategy) -> str:
    """What ``strategy`` found a passage by; words count against the passage that holds most of the question's."""
    parts: list[str] = []
    if strategy is not Strategy.KEYWORD:
        parts.append(f"meaning {max(scores.get('dense', 0.0), 0.0):.0%}")
    if strategy is not Strategy.SEMANTIC:
        words = scores.get("lexical", 0.0) / most_lexical if most_lexical > 0 else 0.0
        parts.append(f"words {words:.0%} of the best")
    if strategy is Strategy.HYBRID:
        parts.append(f"title {scores['title']:.0%}")
    return ", ".join(parts)
