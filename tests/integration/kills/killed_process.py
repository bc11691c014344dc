"""One command in a process of its own, for tests that kill it: ``python killed_process.py COMMAND_JSON``.

Everything is real but the embedding model, which gives cheap vectors. With ``kill_at`` the process kills itself at that
commit to the record, just before it or, with ``is_after``, just after it: a kill between any two transactions, where
random moments would mostly fall into the loading of libraries.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any
from zlib import crc32

from small_knowledge import NOW, WordHashes

from ascertain import Ascertain
from ascertain.app.container.store_addresses import Address
from ascertain.core.asking.passages import Filter
from ascertain.core.settings import Settings, load_settings

SETTINGS = {
    "ingest.write_batch": 4,
    "ingest.embed_batch": 4,
    "models.threads": 1,
    "server.port": 0,
    "server.drain_seconds": 20,
    "store.lock_seconds": 60,
}
OTHER_MODEL = ("others", 32)
QDRANT_WRITES = ("upsert", "set_payload", "update_vectors", "delete", "create_vector_name", "delete_vector_name")


def put_on_server(home: Path, url: str, kind: str = "postgres") -> None:
    """Have the knowledge base of ``home`` in a schema of its own of a PostgreSQL database, or a collection of Qdrant."""
    store = {"store.kind": kind, "store.url": url, "store.name": f"kills_{crc32(str(home).encode()):08x}"}
    _store_note(home).write_text(json.dumps(store))


def is_on_server(home: Path) -> bool:
    return _store_note(home).exists()


def collection_of(home: Path) -> str | None:
    """The collection of Qdrant that the knowledge base of ``home`` is in, if it is."""
    store = settings_of(home).store
    return store.name if store.kind == "qdrant" else None


def _store_note(home: Path) -> Path:
    return home.with_suffix(".store.json")


def settings_of(home: Path) -> Settings:
    store = json.loads(_store_note(home).read_text()) if is_on_server(home) else {}
    return load_settings(home=home, environ={}, arguments=SETTINGS | store).settings


def open_knowledge(home: Path, model: tuple[str, int] = ("hashes", 64)) -> Ascertain:
    return Ascertain(settings_of(home), clock=NOW, embedder=WordHashes(*model))


def add(home: Path, folder: str) -> None:
    with open_knowledge(home) as knowledge:
        knowledge.add([folder])


def delete(home: Path, sources: list[str]) -> None:
    with open_knowledge(home) as knowledge:
        knowledge.delete(Filter(sources=tuple(sources)))


def reindex(home: Path) -> None:
    from ascertain.app.container.reindexing import reindex_store

    with open_knowledge(home) as knowledge:
        reindex_store(knowledge.container.store(), WordHashes(*OTHER_MODEL), 4)


def migrate(home: Path, target: str) -> None:
    from ascertain.app.migration.copying import Migration

    report = Migration(*(Address(settings_of(each).store, each) for each in (home, Path(target)))).run()
    assert report.differences == (), report.differences


def build(home: Path) -> None:
    with open_knowledge(home) as knowledge:
        knowledge.graph.build(again=True)


def serve(home: Path) -> None:
    from ascertain.interfaces.server.application import run_service

    with open_knowledge(home) as knowledge:
        run_service(knowledge, tell_address)


def tell_address(url: str, is_open: bool) -> None:
    sys.stdout.write(f"{url}\n")
    sys.stdout.flush()


COMMANDS: dict[str, Callable[..., None]] = {
    "add": add,
    "delete": delete,
    "reindex": reindex,
    "migrate": migrate,
    "build": build,
    "serve": serve,
}


def kill_at_commit(number: int, is_after: bool, home: Path) -> None:
    """Have this process killed at its ``number``-th commit; of Qdrant, which has none, each write counts as one, beside the
    commits to the record in the home.
    """
    from ascertain.stores.embedded.dialect import RecordConnection

    seen = 0

    def watch(kind: type, name: str, counts: Callable[..., bool]) -> None:
        write = getattr(kind, name)

        def watched(*arguments: Any, **named: Any) -> Any:
            nonlocal seen
            if not counts(*arguments):
                return write(*arguments, **named)
            seen += 1
            if seen == number and not is_after:
                os.kill(os.getpid(), signal.SIGKILL)
            done = write(*arguments, **named)
            if seen == number:
                os.kill(os.getpid(), signal.SIGKILL)
            return done

        setattr(kind, name, watched)

    def is_commit(_: object, sql: object, *__: object) -> bool:
        return sql == "COMMIT"

    if collection_of(home):
        from qdrant_client import QdrantClient

        for name in QDRANT_WRITES:
            watch(QdrantClient, name, lambda *_: True)
    if is_on_server(home) and not collection_of(home):
        from ascertain.stores.postgres.connections import Connection

        watch(Connection, "execute", is_commit)
    else:
        watch(RecordConnection, "execute", is_commit)


def main() -> int:
    given = json.loads(sys.argv[1])
    if given.get("kill_at"):
        kill_at_commit(given["kill_at"], given["is_after"], Path(given["home"]))
    COMMANDS[given["command"]](Path(given["home"]), **given["arguments"])
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
