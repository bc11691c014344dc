from __future__ import annotations

import random
import time
from collections.abc import Callable
from pathlib import Path
from subprocess import Popen
from types import ModuleType

import pytest

from ascertain.core.filters import Filter
from ascertain.core.settings import ChunkerSettings
from ascertain.ingest.chunking import chunk_document
from ascertain.stores.ports import ChunkStore

Ingest = Callable[..., "Popen[str]"]

VERSIONS = 3


def rewrite(folder: Path, version: int) -> None:
    """Every third note says something else, so that kills also fall into replacements."""
    for number, path in enumerate(sorted(folder.iterdir())):
        if number % 3 == version % 3:
            path.write_text(
                f"In version {version} note {number} is about an owl that saw a mouse. " * (1 + number % 30)
            )


def assert_no_half_document(store: ChunkStore, acknowledged: dict[str, str]) -> None:
    known = store.known()
    for document, content_hash in acknowledged.items():
        assert known[document] == content_hash, (
            "an acknowledged document is lost or went back to an older version"
        )
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


def killed_run(ingest: Ingest, home: Path, corpus: Path, delay: float) -> dict[str, str]:
    """Run an ingest and kill it ``delay`` seconds after its first sign of life; what it acknowledged."""
    process = ingest(home, corpus, 0.01)
    assert process.stdout is not None
    first = process.stdout.readline() if delay > 0.1 else ""
    time.sleep(delay)
    process.kill()
    rest, _ = process.communicate()
    lines = [line.split() for line in (first + rest).splitlines()]
    return {line[1]: line[2] for line in lines if len(line) == 3 and line[0] == "written"}


def survive_kills(kills: int, ingest: Ingest, home: Path, corpus: Path, program: ModuleType) -> None:
    chance = random.Random(7)
    acknowledged: dict[str, str] = {}
    for kill in range(kills):
        if kill % 4 == 3:
            rewrite(corpus, kill)
            acknowledged = {}
        acknowledged |= killed_run(ingest, home, corpus, chance.uniform(0.0, 0.4))
        if not (home / "record.sqlite3").exists():
            continue
        store = program.open_home(home)
        assert_no_half_document(store, acknowledged)
        assert_indexes_agree(store, program)
        store.close()
        if kill % 2:
            output, errors = ingest(home, corpus).communicate()
            assert "done" in output, errors
            store = program.open_home(home)
            assert len(store.documents()) == len(list(corpus.iterdir()))
            assert_no_half_document(store, acknowledged)
            assert_indexes_agree(store, program)
            store.close()


def test_ten_kills_leave_whole_documents_and_agreeing_indexes(
    ingest: Ingest, tmp_path: Path, corpus: Path, program: ModuleType
) -> None:
    survive_kills(10, ingest, tmp_path / "home", corpus, program)


@pytest.mark.slow
@pytest.mark.timeout(1200)
def test_fifty_kills_leave_whole_documents_and_agreeing_indexes(
    ingest: Ingest, tmp_path: Path, corpus: Path, program: ModuleType
) -> None:
    survive_kills(50, ingest, tmp_path / "home", corpus, program)
