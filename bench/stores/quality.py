"""The same corpora and questions in every store, into ``results/stores_quality.json``.

    python -m bench.stores.quality [--stores embedded postgres qdrant chroma] [--cache DIR] [SET ...]

Each set is ingested into the embedded store, exported from it and written to the others, vectors included, so that all hold the same
chunks. Then every question goes through ``Ascertain.search`` on each store with the product's default settings: hybrid, and each leg alone.

Targets (issue 4): R@5 of hybrid search within one point of the embedded store in each, PostgreSQL's lexical leg within two.
nomiracl_en does not say which passage is relevant: what is measured there, and on the other sets too, is how many of the embedded
store's first five passages are among the other's first five. No question is left out; of nomiracl_en's corpus the texts that no question is
asked of are, since its questions are put to ten named passages each.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

from ascertain.app.ascertain import Ascertain
from ascertain.core.asking.passages import Strategy
from ascertain.core.settings import Settings
from ascertain.evaluation.measures.metrics import average_rows, ranking_metrics
from ascertain.evaluation.retrieval import RankedDocuments, rank_documents
from ascertain.evaluation.sets.datasets import EvaluationSet, Query, read_set
from ascertain.evaluation.sets.knowledge import Knowledge, Listener, open_knowledge
from ascertain.models.ports import Embedder, Vectors
from ascertain.models.registry import open_embedder
from ascertain.stores.registry import open_store
from bench.setting import RESULTS, circumstances, data_folder, save, show_remark, show_status
from bench.stores.servers import PLACES, Place

SETS = ("xquad_en", "anthropic_docs", "hotpot_train100", "musique_train100", "nomiracl_en", "clapnq_dev")
LEGS = {"hybrid": Strategy.HYBRID, "dense": Strategy.SEMANTIC, "lexical": Strategy.KEYWORD}
MEASURES = ("R@5", "nDCG@10")
COMPARED = 5
"""First passages that are compared with the embedded store's."""
HYBRID_SLACK, LEXICAL_SLACK = 1.0, 2.0
"""Points of R@5 that a store, and PostgreSQL's lexical leg, may be under the embedded store."""
_EXPORTED = 200
"""Documents copied at a time."""

Found = dict[str, list[RankedDocuments]]


class RememberedQuestions:
    """An embedder that embeds each question once, for all stores and legs."""

    def __init__(self, inner: Embedder) -> None:
        self._inner = inner
        self._vectors: dict[str, Vectors] = {}
        self.name, self.dimension = inner.name, inner.dimension

    def embed_query(self, text: str) -> Vectors:
        if text not in self._vectors:
            self._vectors[text] = self._inner.embed_query(text)
        return self._vectors[text]

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        return self._inner.embed_documents(texts)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sets", nargs="*", help="default: all")
    parser.add_argument("--stores", nargs="+", choices=list(PLACES), default=list(PLACES))
    parser.add_argument("--cache", type=Path, default=Path("/tmp/evalcache"), help="for document vectors")
    parser.add_argument("--out", type=Path, default=RESULTS, help="folder for the results file")
    given = parser.parse_args()
    settings = Settings()
    embedder = RememberedQuestions(open_embedder(settings.models))
    rows: list[dict] = []
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="ascertain-")))
        folder.chmod(0o755)  # PostgreSQL runs as a user of its own when this runs as root
        places: list[Place] = []
        for kind in dict.fromkeys(("embedded", *given.stores)):
            (folder / kind).mkdir()
            places.append(stack.enter_context(PLACES[kind](folder / kind)))
        for name in given.sets or SETS:
            data, texts = _trimmed(read_set(data_folder() / name))
            rows.append({"set": name, "texts": texts, **_measure(data, settings, places, embedder, given.cache)})
            versions = {place.kind: place.versions for place in places}
            head = {"circumstances": circumstances(), "versions": versions}
            save("stores_quality", {**head, "sets": rows, "targets": _targets(rows)}, given.out)
    print(_targets(rows))


def _trimmed(data: EvaluationSet) -> tuple[EvaluationSet, int]:
    """Without the texts that no question is asked of, where every question names its own; and how many there were."""
    if not all(query.documents for query in data.queries):
        return data, len(data.corpus)
    named = {document for query in data.queries for document in query.documents}
    return replace(data, corpus=tuple(text for text in data.corpus if text.id in named)), len(data.corpus)


def _measure(
    data: EvaluationSet, settings: Settings, places: Sequence[Place], embedder: RememberedQuestions, cache: Path
) -> dict[str, object]:
    queries = _asked(data)
    found: dict[str, Found] = {}
    with open_knowledge(data, settings, cache, Listener(show_status, show_remark)) as knowledge:
        for place in places:
            started = time.perf_counter()
            with ExitStack() as stack:
                app = stack.enter_context(_copied(knowledge, data.name, place, embedder))
                filled = time.perf_counter() - started
                found[place.kind] = {
                    leg: [rank_documents(query, replace(knowledge, app=app), strategy) for query in queries]
                    for leg, strategy in LEGS.items()
                }
            seconds = time.perf_counter() - started
            show_remark(f"{data.name}: {place.kind} took {seconds:.0f} s, {filled:.0f} of them to be filled")
    return {
        "documents": len(data.corpus),
        "queries": len(queries),
        "stores": {
            kind: {leg: _row(data, queries, ranked, found["embedded"][leg]) for leg, ranked in legs.items()}
            for kind, legs in found.items()
        },
    }


def _asked(data: EvaluationSet) -> list[Query]:
    """Questions with a relevant text; all where nothing is judged relevant."""
    judged = [query for query in data.queries if any(data.judgements.get(query.id, {}).values())]
    return judged or list(data.queries)


def _copied(knowledge: Knowledge, name: str, place: Place, embedder: Embedder) -> Ascertain:
    """The documents of ``knowledge`` in another store, under ``name``; themselves in the embedded one."""
    settings = knowledge.app.settings
    if place.kind == "embedded":
        return Ascertain(settings, embedder=embedder)
    target = settings.model_copy(
        update={"home": place.home / name, "store": place.settings.model_copy(update={"name": name})}
    )
    source = open_store(settings.store, settings.home, embedder.name, embedder.dimension, create=False)
    copy = open_store(target.store, target.home, embedder.name, embedder.dimension)
    ids = [record.id for record in source.documents()]
    with copy.writing():
        for first in range(0, len(ids), _EXPORTED):
            copy.upsert(source.export(ids[first : first + _EXPORTED]))
    copy.close()
    source.close()
    return Ascertain(target, embedder=embedder)


def _row(
    data: EvaluationSet,
    queries: Sequence[Query],
    ranked: Sequence[RankedDocuments],
    embedded: Sequence[RankedDocuments],
) -> dict[str, object]:
    judged = [
        ranking_metrics(found.corpus_ids, data.judgements[query.id])
        for query, found in zip(queries, ranked, strict=True)
        if any(data.judgements.get(query.id, {}).values())
    ]
    metrics = average_rows(judged)
    same = [_shared(found.passages, other.passages) for found, other in zip(ranked, embedded, strict=True)]
    return {
        **{name: round(100 * metrics[name], 2) for name in MEASURES if name in metrics},
        "same_first_5": round(100 * statistics.fmean(same), 2),
    }


def _shared(passages: Sequence, others: Sequence) -> float:
    """Of the first passages of ``others``, the share among the first of ``passages``; 1 where there are none."""
    wanted = {passage.chunk.id for passage in others[:COMPARED]}
    got = {passage.chunk.id for passage in passages[:COMPARED]}
    return len(wanted & got) / len(wanted) if wanted else 1.0


def _targets(rows: Sequence[Mapping]) -> dict[str, object]:
    """Of each store, the furthest any set's R@5 is under (or over) the embedded store's, in points."""
    judged = [row["stores"] for row in rows if "R@5" in row["stores"]["embedded"]["hybrid"]]
    if not judged:
        return {}
    found: dict[str, object] = {}
    for kind in judged[0]:
        worst = {
            leg: round(min(stores[kind][leg]["R@5"] - stores["embedded"][leg]["R@5"] for stores in judged), 2)
            for leg in LEGS
        }
        is_met = worst["hybrid"] >= -HYBRID_SLACK and (kind != "postgres" or worst["lexical"] >= -LEXICAL_SLACK)
        found[kind] = {"furthest_under_embedded": worst, "target_met": is_met}
    return found


if __name__ == "__main__":
    main()
