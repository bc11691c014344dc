"""The lexical leg by itself, embedded and on PostgreSQL, into ``results/lexical_stores.json``.

    python -m bench.stores.lexical [--cache DIR] [SET ...]

Each set is ingested into the embedded store and copied to PostgreSQL, so that both hold the same chunks. Every question is then looked up
by the words the product would look up, four ways:

- ``embedded``: Tantivy's BM25;
- ``postgres``: ours, BM25 put together from ``ts_rank_cd`` and document frequencies;
- ``ts_rank_cd`` and ``ts_rank``: PostgreSQL's own rankings of any of the words, over the same text vectors, with its default
  weights and the logarithm of the length (normalisation 1). They know nothing of how rare a word is.

Target (issue 4): PostgreSQL's R@5 no more than two points under the embedded store's. nomiracl_en does not say which passage is relevant;
for it, and beside the measures of the others, stands how many of the embedded store's first five chunks are among the other's.
"""

from __future__ import annotations

import argparse
import math
import statistics
import tempfile
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, closing
from pathlib import Path

import psycopg
from psycopg import sql

from ascertain.core.asking.passages import Filter, Hit
from ascertain.core.settings import Settings
from ascertain.evaluation.measures.metrics import DEPTH, average_rows, ranking_metrics
from ascertain.evaluation.sets.datasets import EvaluationSet, read_set
from ascertain.evaluation.sets.knowledge import Knowledge, Listener, open_knowledge
from ascertain.language.languages import ENGLISH
from ascertain.retrieval.query.prepared import keep_rarest, terms_of
from ascertain.stores.ports.chunks import ChunkStore
from ascertain.stores.postgres.words.texts import quote_lexeme
from ascertain.stores.records.text_analysis import build_analyzer, weighted_terms
from ascertain.stores.registry import embedding_of, open_store
from bench.setting import circumstances, data_folder, save, show_remark, show_status
from bench.stores.servers import Place, postgres

SETS = ("anthropic_docs", "xquad_en", "hotpot_train100", "musique_train100", "nomiracl_en", "clapnq_dev")
MEASURES = ("R@5", "nDCG@10")
SLACK = 2.0
"""Points of R@5 that PostgreSQL may be under the embedded store."""
COMPARED = 5
"""First chunks that are compared with the embedded store's."""
_DEPTHS = (50, 200, 800, 3200)
"""Chunks asked for until they are of ten documents."""
_EXPORTED = 200
"""Documents copied at a time."""

Search = Callable[[Mapping[str, float], int, Filter], Sequence[Hit]]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sets", nargs="*", help="default: all")
    parser.add_argument("--cache", type=Path, default=Path("/tmp/evalcache"), help="for document vectors")
    given = parser.parse_args()
    settings = Settings()
    rows: list[dict] = []
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="ascertain-")))
        folder.chmod(0o755)  # PostgreSQL runs as a user of its own when this runs as root
        place = stack.enter_context(postgres(folder))
        for name in given.sets or SETS:
            rows.append(_measure(read_set(data_folder() / name), settings, place, given.cache))
            save(
                "lexical_stores",
                {"circumstances": circumstances(), "versions": place.versions, "sets": rows, "target": _target(rows)},
            )
            show_remark(str(rows[-1]))
    print(_target(rows))


def _measure(data: EvaluationSet, settings: Settings, place: Place, cache: Path) -> dict[str, object]:
    with open_knowledge(data, settings, cache, Listener(show_status, show_remark)) as knowledge, ExitStack() as stack:
        # Vectors are not searched: any will do, but they come with the documents.
        app = knowledge.app.settings
        model = embedding_of(app.store, app.home) or ("", 0)
        source = stack.enter_context(closing(open_store(app.store, app.home, *model, create=False)))
        target = place.settings.model_copy(update={"name": data.name})
        copy = stack.enter_context(closing(open_store(target, place.home, *model)))
        ids = [record.id for record in source.documents()]
        with copy.writing():
            for first in range(0, len(ids), _EXPORTED):
                copy.upsert(source.export(ids[first : first + _EXPORTED]))
        db = stack.enter_context(psycopg.connect(target.url, autocommit=True))
        db.execute(sql.SQL("SET search_path = {}").format(sql.Identifier(target.name)))
        ways: dict[str, Search] = {
            "embedded": source.lexical,
            "postgres": copy.lexical,
            "ts_rank_cd": _own_ranking(db, "ts_rank_cd"),
            "ts_rank": _own_ranking(db, "ts_rank"),
        }
        return {"set": data.name, "chunks": source.count(), **_compared(data, knowledge, source, settings, ways)}


def _compared(
    data: EvaluationSet, knowledge: Knowledge, store: ChunkStore, settings: Settings, ways: Mapping[str, Search]
) -> dict[str, object]:
    share = settings.retrieval.common_term_share
    measured: dict[str, list[dict[str, float]]] = {name: [] for name in ways}
    same: dict[str, list[float]] = {name: [] for name in ways}
    differences = [0.0]
    for query in data.queries:
        words = terms_of(query.text, ENGLISH)
        terms = keep_rarest(words, store.document_frequencies(list(words)), store.count(), share, language=ENGLISH)
        limits = knowledge.limits(query)
        first = {name: list(search(terms, _DEPTHS[0], limits)) for name, search in ways.items()}
        expected = {hit.chunk_id: hit.score for hit in first["embedded"]}
        differences += [
            abs(hit.score / expected[hit.chunk_id] - 1) for hit in first["postgres"] if hit.chunk_id in expected
        ]
        gains = data.judgements.get(query.id, {})
        for name, search in ways.items():
            same[name].append(_shared(first[name], first["embedded"]))
            if any(gain > 0 for gain in gains.values()):
                ranking = _documents(terms, limits, search, knowledge, store)
                measured[name].append(ranking_metrics(ranking, gains))
    return {
        "queries": len(data.queries),
        "judged": len(measured["embedded"]),
        "largest_difference_of_a_score": float(f"{max(differences):.1e}"),
        **{name: _row(measured[name], same[name]) for name in ways},
    }


def _documents(
    terms: Mapping[str, float], limits: Filter, search: Search, knowledge: Knowledge, store: ChunkStore
) -> tuple[str, ...]:
    """Corpus ids by best chunk, as many as are measured."""
    ranking: dict[str, None] = {}
    for depth in _DEPTHS:
        hits = search(terms, depth, limits)
        owners = {chunk.id: chunk.document_id for chunk in store.get([hit.chunk_id for hit in hits])}
        ranking = dict.fromkeys(knowledge.corpus_ids[owners[hit.chunk_id]] for hit in hits)
        if len(ranking) >= DEPTH or len(hits) < depth:
            break
    return tuple(ranking)


def _own_ranking(db: psycopg.Connection, function: str) -> Search:
    analyzer = build_analyzer()
    statement = sql.SQL(
        """SELECT c.id, {}(c.words, q, 1) AS score FROM chunks c JOIN documents d ON d.number = c.document, CAST(%s AS tsquery) q
           WHERE c.words @@ q AND (%s::text[] = '{{}}' OR d.id = ANY(%s)) ORDER BY score DESC, c.id LIMIT %s"""
    ).format(sql.Identifier(function))

    def search(terms: Mapping[str, float], k: int, limits: Filter) -> list[Hit]:
        phrases = [
            "(" + " <-> ".join(f"{quote_lexeme(token)}:BC" for token in unit.tokens) + ")"
            for unit in weighted_terms(analyzer, terms)
        ]
        named = list(limits.document_ids)
        if not phrases:
            return []
        found = db.execute(statement, (" | ".join(phrases), named, named, k))
        return [Hit(name, score) for name, score in found]

    return search


def _row(measured: Sequence[Mapping[str, float]], same: Sequence[float]) -> dict[str, float]:
    metrics = average_rows(measured)
    return {
        **{name: round(100 * metrics[name], 2) for name in MEASURES if name in metrics},
        "same_first_5": round(100 * statistics.fmean(same), 2),
    }


def _shared(hits: Sequence[Hit], others: Sequence[Hit]) -> float:
    """Of the first chunks of ``others``, the share among the first of ``hits``; 1 where there are none."""
    wanted = {hit.chunk_id for hit in others[:COMPARED]}
    return len(wanted & {hit.chunk_id for hit in hits[:COMPARED]}) / len(wanted) if wanted else 1.0


def _target(rows: Sequence[Mapping]) -> dict[str, object]:
    """The furthest any set's R@5 is under the embedded store's, in points."""
    judged = [row for row in rows if "R@5" in row["embedded"]]
    worst = {
        name: round(min((row[name]["R@5"] - row["embedded"]["R@5"] for row in judged), default=math.nan), 2)
        for name in ("postgres", "ts_rank_cd", "ts_rank")
    }
    return {"furthest_under_embedded": worst, "met": worst["postgres"] >= -SLACK}


if __name__ == "__main__":
    main()
