"""Processor time of one question inside the process that answers it, into ``results/question_cost.json``.

    python -m bench.speed.question_cost [--cache DIR]

Without a chat model, over the embedded store: embedding the question, one hybrid search (embedding included), and a whole answer with its
searches, quotations and checks. Processor time counts every thread; it is what replicas of the API are sized by.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from ascertain.app.ascertain import Ascertain
from ascertain.core.settings import Settings
from ascertain.evaluation.sets.datasets import Query, read_set
from ascertain.evaluation.sets.knowledge import Knowledge, Listener, open_knowledge
from ascertain.models.ports import Embedder, Vectors
from ascertain.models.registry import open_embedder
from bench.setting import RESULTS, circumstances, data_folder, save, show_remark, show_status

SETS = ("anthropic_docs", "clapnq_dev", "hotpot_train100")
ASKED, _WARM = 30, 3


class CountedEmbedder:
    """Counts the questions that are embedded: one for each search that looks at meaning."""

    def __init__(self, inner: Embedder) -> None:
        self._inner = inner
        self.name, self.dimension = inner.name, inner.dimension
        self.questions = 0

    def embed_query(self, text: str) -> Vectors:
        self.questions += 1
        return self._inner.embed_query(text)

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        return self._inner.embed_documents(texts)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cache", type=Path, default=Path("/tmp/evalcache"), help="for document vectors")
    parser.add_argument("--out", type=Path, default=RESULTS, help="folder for the results file")
    given = parser.parse_args()
    settings = Settings()
    embedder = CountedEmbedder(open_embedder(settings.models))
    rows = []
    for name in SETS:
        data = read_set(data_folder() / name)
        with open_knowledge(data, settings, given.cache, Listener(show_status, show_remark)) as knowledge:
            rows.append({"set": name, **_measure(knowledge, data.queries[: ASKED + _WARM], embedder)})
        show_remark(str(rows[-1]))
    whole = {
        part: {
            "processor_ms": round(statistics.fmean(row[part]["processor_ms"] for row in rows), 1),
            "median_ms": round(statistics.fmean(row[part]["median_ms"] for row in rows), 1),
        }
        for part in ("embed", "search", "ask")
    }
    searches = round(statistics.fmean(row["searches_of_an_answer"] for row in rows), 2)
    results = {"sets": rows, "mean": {**whole, "searches_of_an_answer": searches}}
    print(save("question_cost", {"circumstances": circumstances(), **results}, given.out))


def _measure(knowledge: Knowledge, queries: Sequence[Query], embedder: CountedEmbedder) -> dict:
    with Ascertain(knowledge.app.settings, embedder=embedder) as app:
        embed = _timed(lambda query: embedder.embed_query(query.text), queries)
        search = _timed(lambda query: app.search(query.text), queries)
        before = embedder.questions
        ask = _timed(lambda query: app.ask(query.text, use_cache=False), queries)
        searches = (embedder.questions - before) / len(queries)
    return {"embed": embed, "search": search, "ask": ask, "searches_of_an_answer": round(searches, 2)}


def _timed(action: Callable[[Query], object], queries: Sequence[Query]) -> dict[str, float]:
    for query in queries[:_WARM]:
        action(query)
    walls: list[float] = []
    used = time.process_time()
    for query in queries[_WARM:]:
        started = time.perf_counter()
        action(query)
        walls.append(1000 * (time.perf_counter() - started))
    processor = 1000 * (time.process_time() - used) / len(walls)
    return {"processor_ms": round(processor, 1), "median_ms": round(statistics.median(walls), 1)}


if __name__ == "__main__":
    main()
