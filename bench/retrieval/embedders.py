"""Embedding models beside the built-in one: what passages they find, processor time and memory, into ``results/embedders.json``.

    python -m bench.retrieval.embedders [--cache DIR] [--sets SET,SET] [--threads N] LABEL=VALUE ...

A value is one of ``models.embedder``; a model on a server is measured where it answers, and its time is that of the server. Each model is
ranked three ways on the same candidates: by its vectors alone, fused with the words under its own cosines, and fused under the scale that a
home would use. ``own`` and ``other`` are the medians that the scale is drawn through (``models.similarity``).
"""

from __future__ import annotations

import argparse
import json
import resource
import sys
import time
from dataclasses import replace
from pathlib import Path

import numpy as np

from ascertain.app.container.embedding_notes import choose_sentence
from ascertain.core.asking.passages import Filter, Strategy
from ascertain.core.asking.runs import SystemClock
from ascertain.core.settings import ModelSettings, Settings
from ascertain.evaluation.experiments.tuning import judged_queries
from ascertain.evaluation.measures.metrics import ndcg_at
from ascertain.evaluation.sets.datasets import read_set
from ascertain.evaluation.sets.knowledge import Listener, open_knowledge
from ascertain.language.languages import ENGLISH
from ascertain.models.registry import open_embedder
from ascertain.models.vectors.similarity import PLAIN, choose_sample
from ascertain.retrieval.query.prepared import prepare_question
from ascertain.retrieval.search.ranking import Legs, rank_candidates
from ascertain.stores.registry import open_store
from bench.setting import RESULTS, circumstances, data_folder, save, show_remark, show_status

SETS = ("anthropic_docs", "hotpot_train100", "morehopqa150")
TIMED = 200
"""Chunks whose embedding is timed, of the first set."""


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("models", nargs="+", help="LABEL=VALUE")
    arguments.add_argument("--sets", default=",".join(SETS))
    arguments.add_argument("--cache", type=Path, default=Path("/tmp/evalcache"), help="folder for document vectors")
    arguments.add_argument("--keep", action="store_true", help="keep what was measured of the model's other sets")
    arguments.add_argument(
        "--threads", type=int, default=1, help="more wait for each other where others work, and seem dearer"
    )
    given = arguments.parse_args()
    path = RESULTS / "embedders.json"
    kept = json.loads(path.read_text("utf-8"))["models"] if path.exists() else {}
    for each in given.models:
        label, _, value = each.partition("=")
        settings = Settings(models=ModelSettings(embedder=value, threads=given.threads))
        row = {"value": value.partition("?")[0], **measure_time(settings)}
        before = kept.get(label, {}).get("sets", {}) if given.keep else {}
        row["sets"] = before | {name: measure_set(name, settings, given.cache) for name in given.sets.split(",")}
        kept[label] = row
        print(label, json.dumps(row, indent=1), flush=True)
        save("embedders", {"circumstances": circumstances(), "models": kept})


def measure_time(settings: Settings) -> dict[str, object]:
    """Seconds for a thousand chunks, of the processor in this process and by the clock, and what the process holds at most."""
    texts = [f"{each.title}\n{each.text}"[:1000] for each in read_set(data_folder() / SETS[0]).corpus[:TIMED]]
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    embedder = open_embedder(settings.models)
    embedder.embed_query("first")
    clock, processor = time.perf_counter(), time.process_time()
    embedder.embed_documents(texts)
    share = 1000 / len(texts)
    return {
        "dimension": embedder.dimension,
        "processor_seconds": round(share * (time.process_time() - processor), 1),
        "clock_seconds": round(share * (time.perf_counter() - clock), 1),
        "megabytes": round((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1000),
    }


def measure_set(name: str, settings: Settings, cache: Path) -> dict[str, float]:
    """nDCG@10 in percent of the three rankings, and the points of the scale."""
    data = read_set(data_folder() / name)
    with open_knowledge(data, settings, cache, Listener(show_status, show_remark)) as knowledge:
        app = knowledge.app
        scale = app.container.similarity_scale()
        store = open_store(
            app.settings.store, app.settings.home, app.embedder.name, app.embedder.dimension, create=False
        )
        legs = Legs(store, app.embedder, app.settings.retrieval, scale)
        ways = {
            "vectors": (Strategy.SEMANTIC, scale),
            "plain": (Strategy.HYBRID, PLAIN),
            "scaled": (Strategy.HYBRID, scale),
        }
        found: dict[str, list[float]] = {way: [] for way in ways}
        for query in judged_queries(data):
            question = prepare_question(
                query.text, ENGLISH, profiles=(), clock=SystemClock(), filter=knowledge.limits(query)
            )
            candidates = legs.candidates(question, Strategy.HYBRID, 50)
            for way, (strategy, line) in ways.items():
                ranked = rank_candidates(replace(candidates, scale=line), strategy, app.settings.retrieval, ENGLISH)
                ids = tuple(dict.fromkeys(knowledge.corpus_ids[p.chunk.document_id] for p in ranked))
                found[way].append(ndcg_at(ids, data.judgements[query.id], 10))
        own, other = measure_points(store, app.embedder)
        store.close()
    means = {way: round(100 * float(np.mean(values)), 2) for way, values in found.items()}
    line = {"slope": round(scale.slope, 3), "intercept": round(scale.intercept, 3)}
    return means | line | {"own": round(own, 3), "other": round(other, 3)}


def measure_points(store: object, embedder: object) -> tuple[float, float]:
    """Medians of the cosine of a sentence to its own passage and to another, over four samples as a home takes one."""
    chunks = [chunk for chunk in store.iterate_chunks(Filter()) if not chunk.is_parent]
    places = choose_sample(len(chunks))
    own, other = [], []
    for shift in range(4):
        taken = [chunks[(place + 7 * shift) % len(chunks)] for place in places]
        questions = np.stack([embedder.embed_query(choose_sentence(chunk.text)) for chunk in taken])
        cosines = questions @ store.vectors([chunk.id for chunk in taken]).T
        own += np.diagonal(cosines).tolist()
        other += cosines[~np.eye(len(taken), dtype=bool)].tolist()
    return float(np.median(own)), float(np.median(other))


if __name__ == "__main__":
    sys.exit(main())
