"""The stages of an ingest on Ray Data.

Reading is a task for each batch of sources; embedding and writing are pools of actors, each with its model or its connection.
Ray hands batches of documents on as they are made and holds reading back while embedding is busy, which bounds memory. It is set
not to retry anything and to continue without what was lost with a worker: the driver's ledger knows that.
"""

from __future__ import annotations

import gc
import logging
import os
import pickle
import sys
import warnings
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, cast

import numpy as np

from ascertain.core.errors import ConfigurationError, MissingExtra
from ascertain.core.settings import RaySettings
from ascertain.documents.ingest.cluster.batches import Outcome, SourceBatch
from ascertain.documents.ingest.cluster.stages import EmbeddingStage, Workplace, WritingStage, read_sources
from ascertain.documents.ingest.preparing import describe_error

try:
    import ray
    import ray.data
except ImportError as error:
    raise MissingExtra("adding documents on a cluster", "ray") from error

_ray = cast(Any, ray)
_data = cast(Any, ray.data)

_READING_SHARE, _WRITING_SHARE = 0.15, 0.05
"""Parts of a worker's CPUs that are booked with Ray for the stages before and after embedding, so that all three can always
run: reading takes about a tenth of the time of embedding (bench/results/ingest_speed.json), and writing waits for the server."""
_WORKERS_PER_WRITER = 4
_IN_FLIGHT = 2
"""Batches that wait at an actor or are in work there: the next is at hand when one is done."""

Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class _Shares:
    """CPUs booked for a task or an actor of each stage; together those of all ``workers`` take what was given them."""

    cpus_per_worker: float
    workers: int
    writers: int

    @property
    def reading(self) -> float:
        return self.cpus_per_worker * _READING_SHARE

    @property
    def embedding(self) -> float:
        return self.cpus_per_worker * (1 - _READING_SHARE - _WRITING_SHARE)

    @property
    def writing(self) -> float:
        return self.cpus_per_worker * _WRITING_SHARE * self.workers / self.writers


class RayCluster:
    """A Ray cluster: the one at the settings' address, or one of this machine's own that ends with the run."""

    def __init__(self, settings: RaySettings) -> None:
        self._settings = settings

    @contextmanager
    def crew(self) -> Generator[RayCrew]:
        """Workers of the cluster. Raises ConfigurationError when the cluster cannot be reached or has too few resources."""
        if _ray.is_initialized():
            yield RayCrew(self._settings)
            return
        _connect_cluster(self._settings)
        try:
            with _silent_standard_output():
                yield RayCrew(self._settings)
        finally:
            _ray.shutdown()


class RayCrew:
    """Workers of a cluster this process is connected to."""

    def __init__(self, settings: RaySettings) -> None:
        self._settings = settings
        self._gpus = settings.gpus_per_worker
        self.workers = _count_workers(settings)

    def outcomes(
        self, batches: Sequence[SourceBatch], known: Mapping[str, str], workplace: Workplace
    ) -> Iterator[Outcome]:
        """See ``engine.Crew``."""
        workers = min(self.workers, len(batches))
        writers = -(-workers // _WORKERS_PER_WRITER)
        shares = _Shares(self._settings.cpus_per_worker, workers, writers)
        # Not an argument of its own: each worker fetches it once, not with every batch.
        at_hand = _ray.put(dict(known))
        _release_actors()
        with _quiet_context():
            rows = [{"sources": pickle.dumps(batch)} for batch in batches]
            read = _data.from_items(rows, override_num_blocks=len(rows)).map_batches(
                _read_batch,
                fn_kwargs={"known": at_hand, "workplace": workplace},
                batch_size=1,
                batch_format="numpy",
                compute=_data.TaskPoolStrategy(size=workers),
                num_cpus=shares.reading,
                max_retries=0,
            )
            embedded = self._run_pool(
                read, _Embedding, workplace, workers, num_cpus=shares.embedding, num_gpus=self._gpus
            )
            written = self._run_pool(embedded, _Writing, workplace, writers, num_cpus=shares.writing)
            for row in written.iter_rows():
                yield cast(Outcome, pickle.loads(row["outcome"]))

    def _run_pool(self, rows: Any, stage: type, workplace: Workplace, size: int, **resources: float) -> Any:
        """``rows`` through a pool of actors; one that dies comes again, without what it had in work."""
        return rows.map_batches(
            stage,
            fn_constructor_args=(workplace,),
            batch_size=None,
            batch_format="numpy",
            compute=_data.ActorPoolStrategy(size=size, max_tasks_in_flight_per_actor=_IN_FLIGHT),
            max_restarts=-1,
            max_task_retries=0,
            **resources,
        )


def _release_actors() -> None:
    """Have the actors of earlier rounds end, whose CPUs those of the next one would wait for without end.

    Ray Data ends an actor when nothing refers to it any more, and what it leaves behind refers to itself in a circle.
    """
    gc.collect()


def _read_batch(rows: Row, known: Any, workplace: Workplace) -> Iterator[Row]:
    for pickled in rows["sources"]:
        for batch in read_sources(pickle.loads(pickled), _fetch_known(known), workplace):
            yield _make_row("documents", batch)


class _Embedding:
    def __init__(self, workplace: Workplace) -> None:
        self._stage = EmbeddingStage(workplace)

    def __call__(self, rows: Row) -> Iterator[Row]:
        for pickled in rows["documents"]:
            yield _make_row("documents", self._stage(pickle.loads(pickled)))


class _Writing:
    def __init__(self, workplace: Workplace) -> None:
        self._stage = WritingStage(workplace)

    def __call__(self, rows: Row) -> Iterator[Row]:
        for pickled in rows["documents"]:
            yield _make_row("outcome", self._stage(pickle.loads(pickled)))


@lru_cache(maxsize=1)
def _fetch_known(known: Any) -> dict[str, str]:
    """What was put once for all workers, fetched once in each."""
    return cast("dict[str, str]", _ray.get(known))


def _make_row(column: str, value: object) -> Row:
    cell = np.empty(1, object)
    cell[0] = pickle.dumps(value)
    return {column: cell}


@contextmanager
def _quiet_context() -> Generator[None]:
    """Ray Data's settings for an ingest; other users of Ray Data in this process keep theirs."""
    before = _data.DataContext.get_current()
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "`use_push_based_shuffle` is deprecated")  # copying a context sets it
        # Ray 2.60 says that 2.64 will take retries in another way, but has no other yet; the extra stays below 2.64.
        warnings.filterwarnings("ignore", "`ray_remote_args` is deprecated")
        # Where every batch was lost; and where there are fewer batches than actors.
        warnings.filterwarnings("ignore", "The minimum number of concurrent actors")
        before = _data.DataContext.get_current()
        context = before.copy()
        context.enable_progress_bars = False
        context.print_on_execution_start = False
        context.max_errored_blocks = -1
        context.target_max_block_size = 1  # each batch on its way as soon as it is made
        context.execution_options.preserve_order = False
        _data.DataContext._set_current(context)  # there is no public way
        try:
            yield
        finally:
            _data.DataContext._set_current(before)


@contextmanager
def _silent_standard_error() -> Generator[None]:
    """While Ray starts: it prints on standard error, past Python, that it was configured to be silent there."""
    sys.stderr.flush()
    kept, nowhere = os.dup(2), os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 2)
    try:
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
        os.close(nowhere)


@contextmanager
def _silent_standard_output() -> Generator[None]:
    """Ray prints there how each worker died, whatever the logging settings; there is no public switch."""
    worker = _ray._private.worker
    before = worker._worker_logs_enabled
    worker._worker_logs_enabled = False
    try:
        yield
    finally:
        worker._worker_logs_enabled = before


def _connect_cluster(settings: RaySettings) -> None:
    """Join the cluster of the settings, or start one that lives as long as this process stays connected to it."""
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    os.environ.setdefault("RAY_BACKEND_LOG_LEVEL", "fatal")  # else it writes on standard error, past Python's logging
    for name in ("ray", "ray.data"):
        logging.getLogger(name).setLevel(logging.CRITICAL)
    quiet: dict[str, object] = {"logging_level": logging.CRITICAL, "log_to_driver": False}
    where: dict[str, object] = {"address": settings.address}
    remedy = "start a cluster with 'ray start --head', or leave the address empty"
    if not settings.address:
        where = {"address": "local", "num_cpus": _local_cpus(settings), "include_dashboard": False}
        remedy = "try again when the machine is less busy, or use the local engine"
    try:
        with _silent_standard_error():
            _ray.init(**where, **quiet)
    except Exception as error:  # ConnectionError, RuntimeError, ValueError and plain Exception, as the case may be
        raise ConfigurationError(
            f"ingest.ray.address = {settings.address!r}: no Ray cluster could be "
            f"{'reached' if settings.address else 'started'} ({describe_error(error)}); {remedy}"
        ) from error


def _local_cpus(settings: RaySettings) -> int:
    """CPUs to reserve on a local cluster: all of them, or those that this many workers need."""
    return max(len(os.sched_getaffinity(0)), int(settings.workers * settings.cpus_per_worker + 0.999))


def _count_workers(settings: RaySettings) -> int:
    """As many as the settings say, or as the cluster has room for."""
    resources = cast("dict[str, float]", _ray.cluster_resources())
    cpus, gpus = resources.get("CPU", 0), resources.get("GPU", 0)
    room = int(cpus // settings.cpus_per_worker)
    if settings.gpus_per_worker:
        room = min(room, int(gpus // settings.gpus_per_worker))
    if room < max(1, settings.workers):
        raise ConfigurationError(
            f"the cluster has {cpus:g} CPUs and {gpus:g} GPUs, room for {room} workers of ingest.ray.cpus_per_worker = "
            f"{settings.cpus_per_worker:g} and gpus_per_worker = {settings.gpus_per_worker:g}, but ingest.ray.workers is "
            f"{settings.workers}; lower these, or add machines"
        )
    return settings.workers or room
