"""Retrieval over several hops beside a single search, offline, into ``results/multi_hop.json``.

    python -m bench.answers.multi_hop [--cache DIR] [SET ...]

Four ways over the same knowledge base: one search; following bridges for every question; following them where
``needs_iteration`` says so; and that with the question's parts searched too, as the workflow does it. Targets (issue 3): R@5 of the
three multi-hop sets no worse on any and 3 points more on their mean; at most 0.5 lost where one search is enough. With set
names only those are measured again; the others are kept from the results file. Of ``xquad_en`` every fourth question is asked.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable, Mapping
from pathlib import Path

from ascertain.core.asking.passages import Strategy
from ascertain.core.asking.runs import Budget, Run
from ascertain.core.settings import Settings
from ascertain.evaluation.measures.metrics import average_rows, find_percentile, ranking_metrics, recall_at
from ascertain.evaluation.sets.datasets import EvaluationSet, Query, read_set
from ascertain.evaluation.sets.knowledge import Knowledge, Listener, open_knowledge
from ascertain.language.languages import ENGLISH
from ascertain.questions.decomposition import decompose_question, needs_iteration
from ascertain.retrieval.search.retriever import BEAM, ROUNDS, RetrievalRequest, Retriever
from bench.setting import RESULTS, circumstances, data_folder, save, show_remark, show_status

MULTI_HOP = ("musique_train100", "hotpot_train100", "morehopqa150")
SINGLE_HOP = ("anthropic_docs", "clapnq_dev", "xquad_en")
EVERY = {"xquad_en": 4}
K = 50
"""Passages asked for: ten documents even where several passages are of one."""
WAYS: Mapping[str, Callable[[Query], tuple[bool, bool]]] = {
    "single": lambda query: (False, False),
    "iterate_all": lambda query: (True, False),
    "iterate_ruled": lambda query: (needs_iteration(query.text, ENGLISH), False),
    "iterate_ruled_and_parts": lambda query: (needs_iteration(query.text, ENGLISH), True),
}
"""Whether bridges are followed and whether the parts are searched."""
MEASURES = ("R@2", "R@5", "R@10", "nDCG@10", "all_gold@5")
GAIN = 3.0
LOSS = 0.5


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("sets", nargs="*", help="default: all")
    arguments.add_argument("--cache", type=Path, default=Path("/tmp/evalcache"))
    given = arguments.parse_args()
    rows = _kept() if given.sets else {}
    for name in given.sets or [*MULTI_HOP, *SINGLE_HOP]:
        rows[name] = _measured(read_set(data_folder() / name), given.cache)
        print(json.dumps(rows[name]), flush=True)
        ordered = [rows[known] for known in [*MULTI_HOP, *SINGLE_HOP] if known in rows]
        head = {"circumstances": circumstances(), "beam": BEAM, "rounds": ROUNDS}
        save("multi_hop", head | {"sets": ordered, "summary": _summary(rows)})


def _measured(data: EvaluationSet, cache: Path) -> dict:
    judged = [query for query in data.queries if any(data.judgements.get(query.id, {}).values())]
    queries = judged[:: EVERY.get(data.name, 1)]
    settings = Settings()
    with open_knowledge(data, settings, cache, Listener(show_status, show_remark)) as knowledge:
        ways = {name: _way(name, data, queries, knowledge) for name in WAYS}
    return {"set": data.name, "documents": len(data.corpus), "queries": len(queries), "ways": ways}


def _way(name: str, data: EvaluationSet, queries: list[Query], knowledge: Knowledge) -> dict:
    retriever = _retriever(knowledge)
    rows: list[dict[str, float]] = []
    seconds: list[float] = []
    followed = 0
    for done, query in enumerate(queries):
        show_status(f"{data.name}: {name} {done:,} of {len(queries):,}")
        iterate, in_parts = WAYS[name](query)
        followed += iterate
        request = RetrievalRequest(
            query.text,
            ENGLISH,
            Strategy.HYBRID,
            K,
            filter=knowledge.limits(query),
            sub_queries=decompose_question(query.text, ENGLISH) if in_parts else (),
            iterate=iterate,
        )
        started = time.perf_counter()
        found = retriever.retrieve(request, Run(Budget(0, 0, 60, 0)))
        seconds.append(time.perf_counter() - started)
        ranking = list(dict.fromkeys(knowledge.corpus_ids[passage.chunk.document_id] for passage in found.passages))
        gains = data.judgements[query.id]
        whole = {"all_gold@5": float(recall_at(ranking, gains, 5) == 1.0)}
        rows.append(ranking_metrics(ranking, gains) | whole)
    metrics = average_rows(rows)
    return {
        "followed": followed,
        "metrics": {measure: round(metrics[measure], 4) for measure in MEASURES},
        "seconds": {"p50": round(find_percentile(seconds, 0.5), 4), "p95": round(find_percentile(seconds, 0.95), 4)},
    }


def _retriever(knowledge: Knowledge) -> Retriever:
    """The product's own parts over the set's store."""
    view = knowledge.app.view
    return Retriever(view.searcher, view.store, view.settings.retrieval)


def _summary(rows: Mapping[str, dict]) -> dict:
    """Points of R@5 over a single search, for each way, and whether that meets the targets."""
    over = {
        way: {name: _points(rows[name], way) - _points(rows[name], "single") for name in rows}
        for way in WAYS
        if way != "single"
    }
    return {
        way: {
            "over_single_R@5": {name: round(value, 2) for name, value in gains.items()},
            "multi_hop_mean": round(_mean([gains[name] for name in MULTI_HOP if name in gains]), 2),
            "met_multi_hop": all(gains[name] >= 0 for name in MULTI_HOP if name in gains)
            and _mean([gains[name] for name in MULTI_HOP if name in gains]) >= GAIN,
            "met_single_hop": all(gains[name] >= -LOSS for name in SINGLE_HOP if name in gains),
        }
        for way, gains in over.items()
    }


def _points(row: Mapping, way: str) -> float:
    return 100 * row["ways"][way]["metrics"]["R@5"]


def _mean(values: list[float]) -> float:
    return sum(values) / len(values) if values else 0.0


def _kept() -> dict[str, dict]:
    path = RESULTS / "multi_hop.json"
    return {row["set"]: row for row in json.loads(path.read_text("utf-8"))["sets"]} if path.exists() else {}


if __name__ == "__main__":
    main()
