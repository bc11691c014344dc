"""Ascertain beside other ways to search the same texts, on the same data, in one run, into ``results/peers.json``.

    python -m bench.peers.measure [--environments DIR] [--cache DIR] [--peer NAME] [SET ...]

Every peer is a module of ``bench/peers``, run in an environment of its own (``DIR/NAME``, made from ``PACKAGES`` where it is not
there), one after another, set by set. All search the chunks that Ascertain makes of the documents, title and headings before
them, with vectors that one model (the default one) made beforehand: what is timed is all but the embedding. A document
counts with its best chunk. Every peer is as its documentation shows it, with defaults. With ``--peer`` or set names only
those are measured again; the others are kept from the results file, which says of each when it was measured, and by which commit.
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from importlib.metadata import version
from pathlib import Path

import numpy as np

from ascertain.core.settings import Settings
from ascertain.evaluation.measures.metrics import DEPTH, average_rows, ranking_metrics
from ascertain.evaluation.measures.significance import estimate_intervals
from ascertain.evaluation.sets.datasets import EvaluationSet, Query, read_set
from ascertain.evaluation.sets.knowledge import CachedEmbedder, Listener, open_knowledge
from ascertain.models.onnx import MAX_TOKENS, TOKENIZER, WEIGHTS
from ascertain.models.registry import open_embedder
from bench.peers.worker import hash_text
from bench.retrieval.quality import REFERENCES
from bench.setting import RESULTS, ROOT, circumstances, data_folder, name_moment, save, show_remark, show_status

SETS = tuple(REFERENCES)
PACKAGES: dict[str, tuple[str, ...]] = {
    "bm25s": ("bm25s", "PyStemmer"),
    "faiss": ("faiss-cpu",),
    "lancedb": ("lancedb", "pyarrow"),
    "txtai": ("txtai",),
    "haystack": ("haystack-ai",),
    "llamaindex": ("llama-index-core", "llama-index-retrievers-bm25"),
    "langchain": ("langchain-classic", "langchain-community", "rank_bm25", "faiss-cpu"),
    "haiku": ("haiku.rag-slim",),
    "lightrag": ("lightrag-hku", "onnxruntime", "tokenizers"),
}
"""What each peer needs, the package that it is called by first; numpy comes besides."""
OURS = ("ascertain", "ascertain_ask")
"""``search``, and what ``ask`` finds before it answers."""
NEWER = {"haiku": "python3.13"}
"""Peers that need another Python than ours."""
FEW = {"lightrag": ("anthropic_docs", "morehopqa150")}
"""Peers that take too long for all sets (0.8 s of processor time a chunk), and the sets that they are measured on."""
MEASURES = ("nDCG@10", "R@5", "MRR@10")
PEERS = ROOT / "bench" / "peers"
LIMIT = 1800
"""Seconds that a peer may take for one set."""


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("sets", nargs="*", help="default: all")
    arguments.add_argument("--environments", type=Path, default=Path(tempfile.gettempdir()) / "peers")
    arguments.add_argument("--cache", type=Path, default=Path(tempfile.gettempdir()) / "evalcache")
    arguments.add_argument("--peer", action="append", choices=(*OURS, *PACKAGES))
    given = arguments.parse_args()
    kept = read_kept() if given.sets or given.peer else {}
    peers = given.peer or [*OURS, *PACKAGES]
    pythons = {peer: prepare_environment(peer, given.environments) for peer in peers}
    for name in given.sets or SETS:
        data = read_set(data_folder() / name)
        with tempfile.TemporaryDirectory(prefix="peers-job-") as folder:
            queries = judged_queries(data)
            documents = write_job(data, queries, given.cache, Path(folder))
            held = kept.setdefault(name, {"documents": len(data.corpus), "queries": len(queries), "peers": {}})
            for peer in (peer for peer in peers if name in FEW.get(peer, SETS)):
                show_status(f"{name}: {peer}")
                found = run_peer(peer, pythons[peer], Path(folder))
                held["peers"][peer] = rate_peer(data, queries, documents, found) | {
                    "measured": name_moment(circumstances())
                }
                print(json.dumps({"set": name, "peer": peer} | held["peers"][peer]), flush=True)
                save_measured(kept, peers, pythons)


def save_measured(kept: Mapping[str, dict], peers: Sequence[str], pythons: Mapping[str, Path]) -> None:
    """After every peer, so that a run that is stopped loses one."""
    ordered = {each: kept[each] for each in SETS if each in kept}
    described = read_descriptions() | {peer: describe_peer(peer, pythons[peer]) for peer in peers}
    told = {"circumstances": circumstances(), "peers": described, "sets": ordered, "mean": average_sets(ordered)}
    save("peers", told)


def judged_queries(data: EvaluationSet) -> list[Query]:
    return [query for query in data.queries if any(gain > 0 for gain in data.judgements.get(query.id, {}).values())]


def write_job(data: EvaluationSet, queries: Sequence[Query], cache: Path, folder: Path) -> dict[str, str]:
    """What a peer reads; the document of every chunk, and of every document itself, by id."""
    settings = Settings()
    with open_knowledge(data, settings, cache, Listener(show_status, show_remark)) as knowledge:
        store = knowledge.app.container.store_for_vectors()
        chunks = sorted((chunk for chunk in store.iterate_chunks() if not chunk.is_parent), key=lambda chunk: chunk.id)
        owners = {chunk.id: knowledge.corpus_ids[chunk.document_id] for chunk in chunks}
    write_lines(folder / "chunks.jsonl", ({"id": c.id, "title": c.title, "text": c.indexed_text} for c in chunks))
    write_lines(folder / "documents.jsonl", ({"id": t.id, "title": t.title, "text": t.text} for t in data.corpus))
    write_lines(folder / "questions.jsonl", ({"id": query.id, "text": query.text} for query in queries))
    embedder = CachedEmbedder(open_embedder(settings.models), cache)
    vectors = {hash_text(query.text): embedder.embed_query(query.text) for query in queries}
    texts = [chunk.indexed_text for chunk in chunks]
    vectors |= dict(zip(map(hash_text, texts), embedder.embed_documents(texts), strict=True))
    keys = np.array([np.frombuffer(key, dtype=np.uint8) for key in vectors])
    np.savez(folder / "vectors.npz", keys=keys, vectors=np.stack(list(vectors.values())), name=embedder.name)
    embedder.close()
    model = {"weights": str(WEIGHTS), "tokenizer": str(TOKENIZER), "max_tokens": MAX_TOKENS}
    (folder / "model.json").write_text(json.dumps(model), "utf-8")
    return owners | {text.id: text.id for text in data.corpus}


def write_lines(path: Path, rows: Iterable[Mapping[str, object]]) -> None:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")


def run_peer(peer: str, python: Path, job: Path) -> dict:
    out = job / f"{peer}.json"
    command = [str(python), str(PEERS / "worker.py"), peer, str(job), str(out)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=LIMIT)
    if done.returncode:
        sys.exit(f"{peer}: {done.stderr[-3000:]}")
    return json.loads(out.read_text("utf-8"))


def rate_peer(
    data: EvaluationSet, queries: Sequence[Query], documents: Mapping[str, str], found: Mapping[str, object]
) -> dict[str, object]:
    """Metrics with intervals, and what it cost."""
    rankings: Mapping[str, Sequence[str]] = found["rankings"]
    rows: list[dict[str, float]] = []
    for query in queries:
        ranking = list(dict.fromkeys(documents[text] for text in rankings[query.id]))[:DEPTH]
        held = ranking_metrics(ranking, data.judgements[query.id])
        rows.append({measure: held[measure] for measure in MEASURES})
    return {
        "metrics": {name: round(value, 4) for name, value in average_rows(rows).items()},
        "intervals": {name: [round(end, 4) for end in ends] for name, ends in estimate_intervals(rows).items()},
        **{name: value for name, value in found.items() if name != "rankings"},
    }


def average_sets(sets: Mapping[str, dict]) -> dict[str, dict[str, float]]:
    """The mean of every measure over the sets, for peers that were measured on all of them."""
    names = {peer for held in sets.values() for peer in held["peers"]}
    complete = sorted(peer for peer in names if all(peer in held["peers"] for held in sets.values()))
    return {
        peer: {
            measure: round(float(np.mean([held["peers"][peer]["metrics"][measure] for held in sets.values()])), 4)
            for measure in MEASURES
        }
        for peer in complete
    }


def describe_peer(peer: str, python: Path) -> dict[str, object]:
    return {"lines": count_lines(PEERS / f"{peer}_peer.py"), "versions": read_versions(peer, python)}


def count_lines(adapter: Path) -> int:
    """Lines of code that a user of the peer writes: those of its adapter without the docstrings, comments and blank lines."""
    tree = ast.parse(adapter.read_text("utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.FunctionDef | ast.ClassDef) and ast.get_docstring(node) is not None:
            node.body = node.body[1:] or [ast.Pass()]
    return len(ast.unparse(tree).replace("\n\n", "\n").strip().splitlines())


def read_versions(peer: str, python: Path) -> dict[str, str]:
    if peer in OURS:
        return {"ascertain": version("ascertain")}
    code = "import sys,json,importlib.metadata as m;print(json.dumps({n:m.version(n) for n in sys.argv[1:]}))"
    told = subprocess.run([python, "-c", code, *PACKAGES[peer]], capture_output=True, text=True, check=True)
    return json.loads(told.stdout)


def prepare_environment(peer: str, environments: Path) -> Path:
    """The Python of the peer's environment, which is made where it is not there."""
    if peer in OURS:
        return Path(sys.executable)
    folder = environments / peer
    if not (folder / "bin" / "python").exists():
        show_remark(f"{peer}: installing {', '.join(PACKAGES[peer])} into {folder}")
        subprocess.run([NEWER.get(peer, sys.executable), "-m", "venv", str(folder)], check=True)
        subprocess.run([folder / "bin" / "pip", "install", "-q", "numpy", *PACKAGES[peer]], check=True, env=os.environ)
    return folder / "bin" / "python"


def read_kept() -> dict[str, dict]:
    """What was measured before, each row with its moment."""
    path = RESULTS / "peers.json"
    if not path.exists():
        return {}
    held = json.loads(path.read_text("utf-8"))
    for found in held["sets"].values():
        for row in found["peers"].values():
            row.setdefault("measured", name_moment(held["circumstances"]))
    return held["sets"]


def read_descriptions() -> dict[str, dict]:
    path = RESULTS / "peers.json"
    return json.loads(path.read_text("utf-8"))["peers"] if path.exists() else {}


if __name__ == "__main__":
    main()
