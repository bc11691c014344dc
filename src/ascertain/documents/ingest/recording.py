"""Writing the ingest log of a run while it works, beside other listeners."""

import logging
import threading
import uuid
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from ascertain.core.documents.ingest import IngestRun, RunState
from ascertain.core.errors import AscertainError
from ascertain.documents.ingest.report import IngestListener, tell_files
from ascertain.stores.ports.chunks import KEPT_RUNS, PROCESS_ENDED, IngestLog

_logger = logging.getLogger(__name__)

_INTERVAL_SECONDS = 2.0
"""How old an entry of the log may be."""
_LAST_WAIT_SECONDS = 10.0
"""How long the end of a run waits for an entry that is being written; an unreachable store does not block longer."""


@contextmanager
def record_run(
    open_log: Callable[[], IngestLog],
    engine: str,
    what: str,
    listener: IngestListener,
    interval: float = _INTERVAL_SECONDS,
    *,
    tenant: str = "default",
) -> Generator[IngestListener]:
    """A listener that forwards progress and logs it, every ``interval`` seconds and at the end.

    A log that cannot be written never fails or delays the run; it is a warning, once.
    """
    now = datetime.now(UTC)
    run = IngestRun(uuid.uuid4().hex, engine, what, now, now)
    recorder = _Recorder(open_log, run, listener, _Manner(interval, tenant))
    recorder.start()
    try:
        yield recorder
    except Exception as error:
        recorder.stop(RunState.FAILED, str(error) or type(error).__name__)
        raise
    except BaseException:
        recorder.stop(RunState.INTERRUPTED, PROCESS_ENDED)
        raise
    recorder.stop(RunState.FINISHED)


def unfinished_since(log: IngestLog, engine: str, what: str, tenant: str = "default") -> datetime | None:
    """When the first run of the same work began since one last finished; None when the last one finished."""
    since: datetime | None = None
    for run in log.runs(tenant, KEPT_RUNS):
        if (run.engine, run.what) != (engine, what) or run.state is RunState.RUNNING:
            continue
        if run.state is RunState.FINISHED:
            break
        since = run.started_at
    return since


@dataclass(frozen=True, slots=True)
class _Manner:
    interval: float
    tenant: str


class _Recorder:
    """Listens in the thread of the ingest, writes in one of its own."""

    def __init__(
        self, open_log: Callable[[], IngestLog], run: IngestRun, listener: IngestListener, manner: _Manner
    ) -> None:
        self._open_log = open_log
        self._run = run
        self._listener = listener
        self._manner = manner
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._keep_log, name="ascertain-ingest-log", daemon=True)

    def found(self, total_documents: int | None, total_bytes: int) -> None:
        """The total to do."""
        self._run = replace(self._run, bytes_total=total_bytes)
        self._listener.found(total_documents, total_bytes)

    def report_progress(self, source: str, bytes_done: int, chunks: int) -> None:
        """Count further bytes and chunks."""
        run = self._run
        self._run = replace(run, bytes_done=run.bytes_done + bytes_done, chunks=run.chunks + chunks)
        self._listener.report_progress(source, bytes_done, chunks)

    def failed(self, source: str, reason: str) -> None:
        """Count a failure."""
        self._run = replace(self._run, failures=self._run.failures + 1)
        self._listener.failed(source, reason)

    def count_files(self, done: int, total: int) -> None:
        """Count the files read."""
        tell_files(self._listener, done, total)

    def start(self) -> None:
        """Begin to write."""
        self._thread.start()

    def stop(self, state: RunState, reason: str = "") -> None:
        """Write how the run ended."""
        self._run = replace(self._run, state=state, reason=reason)
        self._ended.set()
        self._thread.join(_LAST_WAIT_SECONDS)

    def _keep_log(self) -> None:
        has_warned = False
        log: IngestLog | None = None
        while True:
            is_last = self._ended.is_set()
            try:
                log = log or self._open_log()
                log.record(replace(self._run, updated_at=datetime.now(UTC)), self._manner.tenant)
            except AscertainError as error:
                if not has_warned:
                    _logger.warning("the progress of this run is not in the ingest log: %s", error)
                has_warned = True
            if is_last:
                break
            self._ended.wait(self._manner.interval)
        if log is not None:
            log.close()
