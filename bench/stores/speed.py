"""How fast the stores take chunks in and give them back, with filters, in one run; into ``results/stores_speed.json``.

    python -m bench.stores.speed [--stores embedded postgres qdrant chroma] [--chunks 100000] [--folder DIR]

Every store gets the same chunks (``speed_corpus``) in the batches that ingest writes, one store after the other. Then every question is put to
all of them in turn, so that all meet the same load. ``hybrid`` is what a search asks of the store, from the counts of words to the texts
and vectors of the candidates; ``dense`` and ``lexical`` are one leg alone, 30 candidates. Recall is that of ``dense`` against a scan of all
vectors. With ``--folder`` what was loaded is kept there and used again; results are always those of one run.
"""

from __future__ import annotations

import argparse
import json
import shutil
import statistics
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ascertain.core.asking.passages import Filter, Strategy
from ascertain.core.settings import RetrievalSettings
from ascertain.language.languages import ENGLISH
from ascertain.retrieval.query.prepared import PreparedQuestion, terms_of
from ascertain.retrieval.search.ranking import Legs
from ascertain.stores.ports.chunks import ChunkStore, Vectors
from ascertain.stores.registry import open_store
from bench.setting import RESULTS, circumstances, save, show_remark
from bench.speed.corpus import SHARES, Question, SpeedCorpus, read_corpus
from bench.speed.synthetic_chunks import DIMENSION, MODEL
from bench.stores.loads import cost_of_words, load, memory_in_own_process, time_single_documents, words_of
from bench.stores.parts import parts_on_disk
from bench.stores.servers import PLACES, Place

RETRIEVAL = RetrievalSettings()
RECALL_DEPTHS = (10, 100)
RECALL_TARGET = 0.98
_WARM = 5
_FEWEST, _MOST = 30, 200
"""Questions in a cell of the table."""

Action = Callable[[Question, Filter], object]


class KnownVectors:
    """The embedding model's place is taken by the vectors that the questions come with: only the stores are measured."""

    name = MODEL
    dimension = DIMENSION

    def __init__(self, questions: Sequence[Question]) -> None:
        self._vectors = {question.text: question.vector for question in questions}

    def embed_query(self, text: str) -> Vectors:
        return self._vectors[text]

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        return np.stack([self._vectors[text] for text in texts])


@dataclass(frozen=True, slots=True)
class Contender:
    """A store in the run."""

    place: Place
    store: ChunkStore
    legs: Legs
    words: Mapping[str, Mapping[str, float]]
    """By question: what a search looks up, the words that are not too common."""
    loaded: Mapping[str, object]

    def actions(self) -> dict[str, Action]:
        return {"hybrid": self.hybrid, "dense": self.dense, "lexical": self.lexical}

    def hybrid(self, question: Question, filter: Filter) -> object:
        terms = terms_of(question.text, ENGLISH)
        prepared = PreparedQuestion(question.text, question.text, ENGLISH, terms, filter, None, ())
        return self.legs.candidates(prepared, Strategy.HYBRID, RETRIEVAL.top_k)

    def dense(self, question: Question, filter: Filter) -> object:
        return self.store.dense(question.vector, RETRIEVAL.candidates, filter)

    def lexical(self, question: Question, filter: Filter) -> object:
        return self.store.lexical(self.words[question.text], RETRIEVAL.candidates, filter)


def main() -> None:
    given = _arguments()
    corpus = read_corpus(given.chunks, given.cache)
    limits = {} if given.exact_limit is None else {"exact_limit": given.exact_limit}
    with ExitStack() as stack:
        folder = given.folder or Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="ascertain-")))
        folder.mkdir(parents=True, exist_ok=True)
        folder.chmod(0o755)  # PostgreSQL runs as a user of its own when this runs as root
        contenders: dict[str, Contender] = {}
        for kind in given.stores:
            kept = folder / f"{kind}-{given.chunks}.json"
            if not kept.exists():
                shutil.rmtree(folder / kind, ignore_errors=True)
                (folder / kind).mkdir()
            place = stack.enter_context(PLACES[kind](folder / kind))
            contender = _contender(place.at(place.home, **limits), corpus, kept, given.cache)
            stack.callback(contender.store.close)
            contenders[kind] = contender
        results = measure(contenders, corpus, given.seconds)
    head = {"circumstances": circumstances(), "chunks": given.chunks}
    print(save("stores_speed", {**head, **results}, given.out))


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--stores", nargs="+", choices=list(PLACES), default=list(PLACES))
    parser.add_argument("--chunks", type=int, default=100_000)
    parser.add_argument("--exact-limit", type=int, help="store.exact_limit; in a small run, 0 for the graph")
    parser.add_argument("--seconds", type=float, default=10, help="for each cell of the table")
    parser.add_argument("--folder", type=Path, help="keep what is loaded here, and use what is there")
    parser.add_argument("--cache", type=Path, default=Path("/tmp/evalcache"), help="for the few real vectors")
    parser.add_argument("--out", type=Path, default=RESULTS, help="folder for the results file")
    return parser.parse_args()


def _contender(place: Place, corpus: SpeedCorpus, kept: Path, vectors: Path) -> Contender:
    """The store, loaded now or in an earlier run; ``kept`` has the figures of the loading."""
    if not kept.exists():
        loaded = {"load": load(place, corpus.documents), "memory_mb": memory_in_own_process(place, vectors)}
        kept.write_text(json.dumps(loaded, indent=1), "utf-8")
    store = open_store(place.settings, place.home, MODEL, DIMENSION, create=False)
    legs = Legs(store, KnownVectors(corpus.questions), RETRIEVAL)
    words = {question.text: words_of(store, question.text) for question in corpus.questions}
    return Contender(place, store, legs, words, json.loads(kept.read_text("utf-8")))


def measure(contenders: Mapping[str, Contender], corpus: SpeedCorpus, seconds: float) -> dict[str, object]:
    """Everything but the loading; each store's part under its name."""
    searches: dict[str, dict[str, dict[str, dict]]] = {kind: {} for kind in contenders}
    for what in ("hybrid", "dense", "lexical"):
        for share in SHARES:
            show_remark(f"{what}, {share} of the chunks")
            for kind, cell in _cell(contenders, what, share, corpus, seconds).items():
                searches[kind].setdefault(what, {})[share] = cell
                show_remark(f"  {kind}: {cell}")
    stores = {
        kind: {**_described(contender, corpus), "search": searches[kind]} for kind, contender in contenders.items()
    }
    characters = statistics.fmean(len(chunk.text) for each in corpus.documents for chunk in each.chunks)
    return {
        "shares": dict(SHARES),
        "characters_of_a_chunk": round(characters),
        "stores": stores,
        "over_embedded": _over_embedded(searches),
    }


def _described(contender: Contender, corpus: SpeedCorpus) -> dict[str, object]:
    place, recall = contender.place, _recall(contender, corpus)
    return {
        "versions": place.versions,
        "server_settings": place.server_settings,
        **contender.loaded,
        "server_memory_mb": place.server_memory_mb(),
        "bytes_in_folder": place.bytes_on_disk(),
        "bytes_on_disk": contender.store.stats().bytes_on_disk,
        "parts": parts_on_disk(place),
        "words": {"chunks": contender.store.count(), **cost_of_words(place, contender.store)},
        "recall": recall,
        "recall_reached": all(value >= RECALL_TARGET for shares in recall.values() for value in shares.values()),
        "one_document": time_single_documents(contender.store, corpus.documents),
    }


def _cell(
    contenders: Mapping[str, Contender], what: str, share: str, corpus: SpeedCorpus, seconds: float
) -> dict[str, dict[str, object]]:
    """Wall and processor milliseconds of one kind of search under one filter, each question put to every store in turn."""
    filter = corpus.filter(share)
    walls: dict[str, list[float]] = {kind: [] for kind in contenders}
    own: dict[str, float] = dict.fromkeys(contenders, 0.0)
    server: dict[str, float] = {}
    started = 0.0
    for number, question in enumerate(corpus.questions[: _WARM + _MOST]):
        if number == _WARM:
            server = {kind: each.place.server_processor_seconds() for kind, each in contenders.items()}
            started = time.perf_counter()
        elif number >= _WARM + _FEWEST and time.perf_counter() - started > seconds:
            break
        for kind, contender in contenders.items():
            used, begun = time.process_time(), time.perf_counter()
            contender.actions()[what](question, filter)
            if number >= _WARM:
                walls[kind].append(1000 * (time.perf_counter() - begun))
                own[kind] += time.process_time() - used
    return {
        kind: {
            "questions": len(walls[kind]),
            "median_ms": round(statistics.median(walls[kind]), 2),
            "p95_ms": round(float(np.percentile(walls[kind], 95)), 2),
            "own_processor_ms": round(1000 * own[kind] / len(walls[kind]), 2),
            "server_processor_ms": round(
                1000 * (each.place.server_processor_seconds() - server[kind]) / len(walls[kind]), 2
            ),
        }
        for kind, each in contenders.items()
    }


def _recall(contender: Contender, corpus: SpeedCorpus, asked: int = 100) -> dict[str, dict[str, float]]:
    """Of ``dense`` at each depth, for each share, averaged over the first questions."""
    show_remark(f"{contender.place.kind}: recall")
    found: dict[str, dict[str, float]] = {}
    for depth in RECALL_DEPTHS:
        for share in SHARES:
            filter = corpus.filter(share)
            values: list[float] = []
            for question in corpus.questions[:asked]:
                hits = contender.store.dense(question.vector, depth, filter)
                values.append(corpus.recall(question, share, depth, [hit.chunk_id for hit in hits]))
            found.setdefault(str(depth), {})[share] = round(statistics.fmean(values), 4)
    return found


def _over_embedded(searches: Mapping[str, Mapping[str, Mapping[str, dict]]]) -> dict[str, object]:
    """Each median divided by that of the embedded store in the same run."""
    if "embedded" not in searches:
        return {}
    base = searches["embedded"]
    return {
        kind: {
            what: {share: round(cell["median_ms"] / base[what][share]["median_ms"], 2) for share, cell in cells.items()}
            for what, cells in legs.items()
        }
        for kind, legs in searches.items()
    }


if __name__ == "__main__":
    main()
