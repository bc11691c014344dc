from __future__ import annotations

import random
import time
from collections.abc import Callable
from pathlib import Path
from subprocess import Popen
from types import ModuleType

import pytest

from ascertain.core.asking.passages import Filter
from ascertain.core.documents.documents import document_id
from ascertain.core.settings import ChunkerSettings, IngestSettings
from ascertain.documents.ingest.chunking.chunks import chunk_document
from ascertain.documents.ingest.pipeline import Ingestor
from ascertain.stores.ports.chunks import ChunkStore

Ingest = Callable[..., "Popen[str]"]


def rewrite(folder: Path, version: int) -> set[str]:
    """Make every third note say something else, so that kills fall into replacements; the ids of their documents."""
    paths = [path for number, path in enumerate(sorted(folder.iterdir())) if number % 3 == version % 3]
    for number, path in enumerate(paths):
        path.write_text(f"In version {version} note {number} is about an owl that saw a mouse. " * (1 + 3 * number))
    return {document_id(str(path.resolve())) for path in paths}


def assert_no_half_document(store: ChunkStore, acknowledged: dict[str, str]) -> None:
    known = store.known()
    for document, content_hash in acknowledged.items():
        assert known[document] == content_hash, "an acknowledged document is lost or went back to an older version"
    for record in store.documents():
        document = store.document(record.id)
        assert document is not None
        expected = [chunk for chunk in chunk_document(document, ChunkerSettings()) if not chunk.is_parent]
        stored = list(store.iterate_chunks(Filter(document_ids=(record.id,))))
        assert [(chunk.id, chunk.text) for chunk in stored] == [(chunk.id, chunk.text) for chunk in expected]
        assert record.chunks == len(expected) == len(store.vectors([chunk.id for chunk in stored]))


def assert_indexes_agree(store: ChunkStore, program: ModuleType) -> None:
    stored = {chunk.id for chunk in store.iterate_chunks()}
    vector = program.CheapEmbedder().embed_query("fox")
    assert {hit.chunk_id for hit in store.dense(vector, len(stored) + 10)} == stored
    found = {hit.chunk_id for hit in store.lexical({"note": 1.0}, len(stored) + 10)}
    assert found <= stored
    assert found == {chunk.id for chunk in store.iterate_chunks() if "note" in chunk.indexed_text.lower()}
    # after the searches: a kill before the first one leaves nothing to check yet
    assert store.check().problems == ()


def killed_run(ingest: Ingest, home: Path, corpus: Path, chance: random.Random) -> tuple[dict[str, str], bool]:
    """Run an ingest and kill it; what it acknowledged, and whether it was still at work.

    Most are killed some time after their first acknowledged write, some while they start and open the home.
    """
    process = ingest(home, corpus, 0.03)
    assert process.stdout is not None
    if chance.random() < 0.2:
        time.sleep(chance.uniform(0.3, 2))
        first = ""
    else:
        first = process.stdout.readline()
        time.sleep(chance.uniform(0, 0.3))
    process.kill()
    rest, _ = process.communicate()
    lines = [line.split() for line in (first + rest).splitlines()]
    written = {line[1]: line[2] for line in lines if len(line) == 3 and line[0] == "written"}
    return written, not any(line[:1] == ["done"] for line in lines)


def survive_kills(kills: int, ingest: Ingest, folder: Path, corpus: Path, program: ModuleType) -> None:
    chance = random.Random(7)
    interrupted = 0
    for kill in range(kills):
        home = folder / f"home{kill // 5}"
        if kill % 5 == 0:
            acknowledged: dict[str, str] = {}
        for document in rewrite(corpus, kill):
            acknowledged.pop(document, None)
        written, was_at_work = killed_run(ingest, home, corpus, chance)
        acknowledged |= written
        interrupted += was_at_work
        store = program.open_home(home)
        assert_no_half_document(store, acknowledged)
        assert_indexes_agree(store, program)
        report = Ingestor(store, program.CheapEmbedder(), IngestSettings()).add_paths([corpus], profile="docs")
        assert report.failures == ()
        assert report.unchanged >= len(written)
        assert len(store.documents()) == len(list(corpus.iterdir()))
        acknowledged |= store.known()
        assert_no_half_document(store, acknowledged)
        assert_indexes_agree(store, program)
        store.close()
    assert interrupted >= kills // 4


def test_three_kills_leave_whole_documents_and_agreeing_indexes(
    ingest: Ingest, tmp_path: Path, corpus: Path, program: ModuleType
) -> None:
    survive_kills(3, ingest, tmp_path, corpus, program)


@pytest.mark.slow
@pytest.mark.timeout(1200)
def test_fifty_kills_leave_whole_documents_and_agreeing_indexes(
    ingest: Ingest, tmp_path: Path, corpus: Path, program: ModuleType
) -> None:
    survive_kills(50, ingest, tmp_path, corpus, program)
