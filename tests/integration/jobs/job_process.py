"""A process that works off background jobs, for tests that kill it: ``python job_process.py STORE_JSON HOME PAUSE``.

Everything is real but the embedding model, which gives cheap vectors and takes PAUSE seconds for each call. It tells on standard output
when it is ready and which jobs it begins; a line on standard input makes it stop.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

from small_knowledge import WordHashes

from ascertain import Ascertain, Settings
from ascertain.app.jobs.runner import JobRunner
from ascertain.app.jobs.work import JobWork
from ascertain.core.settings import IngestSettings, StoreSettings


class Unhurried(WordHashes):
    def __init__(self, pause: float) -> None:
        super().__init__()
        self._pause = pause

    def embed_documents(self, texts):
        time.sleep(self._pause)
        return super().embed_documents(texts)


def open_home(store: StoreSettings, home: Path, pause: float = 0.0) -> Ascertain:
    ingest = IngestSettings(write_batch=1, embed_batch=1)
    return Ascertain(Settings(home=home, store=store, ingest=ingest), embedder=Unhurried(pause))


def tell(*words: object) -> None:
    sys.stdout.write(" ".join(map(str, words)) + "\n")
    sys.stdout.flush()


class Telling(JobWork):
    def run(self) -> None:
        tell("began", self._job.id, self._job.attempts)
        super().run()


def main() -> int:
    store = StoreSettings(**json.loads(sys.argv[1]))
    with open_home(store, Path(sys.argv[2]), float(sys.argv[3])) as knowledge:
        runner = JobRunner(knowledge.access)
        runner.start(1)
        tell("ready")
        sys.stdin.readline()
        tell("stopped", runner.stop(30.0))
    return 0


if __name__ == "__main__":
    import ascertain.app.jobs.runner

    ascertain.app.jobs.runner.JobWork = Telling  # type: ignore[misc]
    raise SystemExit(main())
