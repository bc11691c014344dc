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

from small_knowledge import NOW, WordHashes

from ascertain import Ascertain
from ascertain.core.passages import Filter
from ascertain.core.settings import load_settings
from ascertain.stores.embedded.dialect import RecordConnection

SETTINGS = {
    "ingest.write_batch": 4,
    "ingest.embed_batch": 4,
    "models.threads": 1,
    "server.port": 0,
    "server.drain_seconds": 20,
    "store.lock_seconds": 60,
}
OTHER_MODEL = ("others", 32)


def open_knowledge(home: Path, model: tuple[str, int] = ("hashes", 64)) -> Ascertain:
    settings = load_settings(home=home, environ={}, arguments=SETTINGS).settings
    return Ascertain(settings, clock=NOW, embedder=WordHashes(*model))


def add(home: Path, folder: str) -> None:
    with open_knowledge(home) as knowledge:
        knowledge.add([folder])


def delete(home: Path, sources: list[str]) -> None:
    with open_knowledge(home) as knowledge:
        knowledge.delete(Filter(sources=tuple(sources)))


def reindex(home: Path) -> None:
    from ascertain.app.chosen_models import reindex_store

    with open_knowledge(home) as knowledge:
        reindex_store(knowledge.opened.store(), WordHashes(*OTHER_MODEL), 4)


def migrate(home: Path, target: str) -> None:
    from ascertain.app.migration.copying import Migration
    from ascertain.app.store_addresses import Address
    from ascertain.core.settings import StoreSettings

    report = Migration(Address(StoreSettings(), home), Address(StoreSettings(), Path(target))).run()
    assert report.differences == (), report.differences


def build(home: Path) -> None:
    with open_knowledge(home) as knowledge:
        knowledge.graph.build(anew=True)


def serve(home: Path) -> None:
    from ascertain.server.application import run_service

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


def kill_at_commit(number: int, is_after: bool) -> None:
    """Have this process killed at its ``number``-th commit."""
    execute, seen = RecordConnection.execute, 0

    def watched(db: RecordConnection, sql: str, *parameters: Any) -> Any:
        nonlocal seen
        if sql != "COMMIT":
            return execute(db, sql, *parameters)
        seen += 1
        if seen == number and not is_after:
            os.kill(os.getpid(), signal.SIGKILL)
        done = execute(db, sql, *parameters)
        if seen == number:
            os.kill(os.getpid(), signal.SIGKILL)
        return done

    RecordConnection.execute = watched  # type: ignore[method-assign,assignment]


def main() -> int:
    given = json.loads(sys.argv[1])
    if given.get("kill_at"):
        kill_at_commit(given["kill_at"], given["is_after"])
    COMMANDS[given["command"]](Path(given["home"]), **given["arguments"])
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
