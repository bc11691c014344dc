"""Filling a store, writing to a full one, and what it holds in memory."""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import time
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from ascertain.core.settings import Settings, StoreSettings
from ascertain.language.languages import ENGLISH
from ascertain.retrieval.query.prepared import keep_rarest, terms_of
from ascertain.stores.ports.chunks import ChunkStore, IndexedDocument
from ascertain.stores.registry import open_store
from bench.setting import show_remark, show_status
from bench.speed.synthetic_chunks import DIMENSION, MODEL, embedded, questions
from bench.stores.servers import Place

_IDLE_SHARE = 0.05
"""A server that uses less of a processor than this has finished what it had put off."""
_SETTLING_SECONDS = 120
_WARM = 10
"""Searches before the first that counts."""


def load(place: Place, documents: Sequence[IndexedDocument]) -> dict[str, object]:
    """Write all in batches of the size that ingest writes, until every index is up to date.

    After a fifth it is looked how dear a search for words is, outside the times.
    """
    chunks = sum(len(document.chunks) for document in documents)
    size = max(1, Settings().ingest.write_batch * len(documents) // chunks)
    store = open_store(place.settings, place.home, MODEL, DIMENSION)
    fifth = len(documents) // 5
    first = _write(place, store, documents[:fifth], size)
    _settle(place)
    words = {"chunks": store.count(), **cost_of_words(place, store)}
    rest = _write(place, store, documents[fifth:], size)
    settled = _settle(place)
    store.close()
    spent = {name: round(first[name] + used, 1) for name, used in rest.items()}
    result = {
        "date": datetime.now(UTC).date().isoformat(),
        "chunks": chunks,
        "documents_in_a_batch": size,
        **spent,
        "flushing_seconds": round(rest["flushing_seconds"], 1),
        "settled_after_seconds": round(settled, 1),
        "chunks_per_second": round(chunks / spent["seconds"]),
        "words_at_a_fifth": words,
    }
    show_remark(f"{place.kind}: {result}")
    return result


def _write(place: Place, store: ChunkStore, documents: Sequence[IndexedDocument], size: int) -> dict[str, float]:
    own, server, started = time.process_time(), place.server_processor_seconds(), time.perf_counter()
    with store.writing():
        for first in range(0, len(documents), size):
            store.upsert(documents[first : first + size])
            show_status(f"{place.kind}: {first:,} of {len(documents):,} documents")
        written = time.perf_counter()
    return {
        "seconds": time.perf_counter() - started,
        "flushing_seconds": time.perf_counter() - written,
        "own_processor_seconds": time.process_time() - own,
        "server_processor_seconds": place.server_processor_seconds() - server,
    }


def words_of(store: ChunkStore, question: str) -> dict[str, float]:
    """What a search looks up: the words that are not too common."""
    terms, retrieval = terms_of(question, ENGLISH), Settings().retrieval
    frequencies = store.document_frequencies(list(terms))
    return keep_rarest(terms, frequencies, store.count(), retrieval.common_term_share, language=ENGLISH)


def cost_of_words(place: Place, store: ChunkStore, asked: int = 60) -> dict[str, float]:
    """Processor milliseconds of one search for words, ours and the server's, at the present size."""
    words = [words_of(store, question) for question in questions()[:asked]]
    for terms in words[:_WARM]:
        store.lexical(terms, Settings().retrieval.candidates)
    own, server = time.process_time(), place.server_processor_seconds()
    for terms in words[_WARM:]:
        store.lexical(terms, Settings().retrieval.candidates)
    number = len(words) - _WARM
    return {
        "own_processor_ms": round(1000 * (time.process_time() - own) / number, 2),
        "server_processor_ms": round(1000 * (place.server_processor_seconds() - server) / number, 2),
    }


def time_single_documents(store: ChunkStore, documents: Sequence[IndexedDocument], count: int = 20) -> dict[str, float]:
    """Milliseconds to write one document of ten chunks again, alone, into the full store; durable at the end."""
    times: list[float] = []
    step = max(1, len(documents) // count)
    for document in documents[::step][:count]:
        started = time.perf_counter()
        store.upsert([document])
        times.append(1000 * (time.perf_counter() - started))
    return {"median_ms": round(statistics.median(times), 1), "slowest_ms": round(max(times), 1)}


def memory_in_own_process(place: Place, vectors: Path) -> dict[str, int]:
    """Megabytes after twenty searches in a fresh process: its own, and files it maps. No other may have the store open."""
    given = (place.settings.model_dump_json(), str(place.home), str(vectors))
    done = subprocess.run(
        [sys.executable, "-m", "bench.stores.loads", *given], check=True, stdout=subprocess.PIPE, text=True
    )
    return json.loads(done.stdout)


def _settle(place: Place) -> float:
    """Seconds until the server rests; 0 when there is none."""
    started = time.perf_counter()
    while place.process is not None and time.perf_counter() - started < _SETTLING_SECONDS:
        used = place.server_processor_seconds()
        time.sleep(1)
        if place.server_processor_seconds() - used < _IDLE_SHARE:
            break
    return time.perf_counter() - started


def _search_and_tell(settings: StoreSettings, home: Path, vectors: Path) -> None:
    store = open_store(settings, home, MODEL, DIMENSION, create=False)
    _, asked = embedded(vectors)
    for question, vector in zip(questions()[:20], asked, strict=False):
        hits = [*store.dense(vector, 30), *store.lexical(dict.fromkeys(question.split(), 1.0), 30)]
        store.get([hit.chunk_id for hit in hits])
    lines = Path("/proc/self/status").read_text("utf-8").splitlines()
    held = {line.split(":")[0]: int(line.split()[1]) // 1024 for line in lines if line.startswith("Rss")}
    print(json.dumps({"own": held.get("RssAnon", 0), "mapped_files": held.get("RssFile", 0)}))
    store.close()


if __name__ == "__main__":
    _search_and_tell(StoreSettings.model_validate_json(sys.argv[1]), Path(sys.argv[2]), Path(sys.argv[3]))
