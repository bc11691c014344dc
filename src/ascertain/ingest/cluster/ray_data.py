"""The stages of an ingest on Ray Data.

Reading is a task for each lot; embedding and writing are pools of actors, each with its model or its connection. Ray hands
parcels on as they are made and holds reading back while embedding is busy, which bounds memory. It is told to try nothing
again by itself and to go on without what was lost with a worker: the driver's ledger knows what that was.
"""

from __future__ import annotations

import contextlib
import logging
import os
import pickle
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from typing import Any, cast

import numpy as np

from ascertain.core.errors import ConfigurationError, MissingExtra
from ascertain.core.settings_ingest import RaySettings
from ascertain.ingest.cluster.parcels import Lot, Outcome
from ascertain.ingest.cluster.stages import EmbeddingStage, Workplace, read_lot
from ascertain.ingest.cluster.writing_stage import WritingStage

try:
    import ray
    import ray.data
except ImportError as error:
    raise MissingExtra("adding documents on a cluster", "ray") from error

_ray = cast(Any, ray)
_data = cast(Any, ray.data)

_EMBEDDING_SHARE, _READING_SHARE, _WRITING_SHARE = 0.8, 0.15, 0.05
"""How the CPUs of a worker are booked with Ray, so that all three stages can always run: reading takes about a tenth
of the time of embedding (bench/results/ingest_speed.json), and writing waits for the server."""
_WORKERS_PER_WRITER = 4
_START_ATTEMPTS = 3
"""Ray gives its own processes 30 s to start, which a busy machine does not always keep."""
_IN_FLIGHT = 2
"""Parcels that wait at an actor or are in work there: the next is at hand when one is done."""

Row = dict[str, Any]


class RayCluster:
    """A Ray cluster: the one at the settings' address, or one of this machine's own that ends with the run."""

    def __init__(self, settings: RaySettings) -> None:
        self._settings = settings

    @contextmanager
    def crew(self) -> Generator[RayCrew]:
        """Workers of the cluster. Raises ConfigurationError when the cluster cannot be reached or has too few resources."""
        is_ours = not _ray.is_initialized()
        if is_ours:
            _connect(self._settings)
        try:
            yield RayCrew(self._settings)
        finally:
            if is_ours:
                _ray.shutdown()


class RayCrew:
    """Workers of a cluster this process is connected to."""

    def __init__(self, settings: RaySettings) -> None:
        self._settings = settings
        self.workers = settings.workers or _workers_of_cluster(settings)

    def outcomes(
        self, lots: Sequence[Lot], known: Mapping[str, str], workplace: Workplace
    ) -> Iterator[Outcome]:
        """See ``engine.Crew``."""
        workers = min(self.workers, len(lots))
        writers = self._settings.writers or -(-workers // _WORKERS_PER_WRITER)
        cpus = self._settings.cpus_per_worker
        plan = _ray.put((dict(known), workplace))
        with _quiet_context():
            dataset = _data.from_items(
                [{"lot": pickle.dumps(lot)} for lot in lots], override_num_blocks=len(lots)
            )
            dataset = dataset.map_batches(
                _read,
                fn_kwargs={"plan": plan},
                batch_size=1,
                batch_format="numpy",
                compute=_data.TaskPoolStrategy(size=workers),
                num_cpus=cpus * _READING_SHARE,
                max_retries=0,
            )
            for stage, size, share, gpus in (
                (_Embedding, workers, _EMBEDDING_SHARE, self._settings.gpus_per_worker),
                (_Writing, writers, _WRITING_SHARE * workers / writers, 0),
            ):
                dataset = dataset.map_batches(
                    stage,
                    fn_constructor_kwargs={"plan": plan},
                    batch_size=None,
                    batch_format="numpy",
                    compute=_data.ActorPoolStrategy(size=size, max_tasks_in_flight_per_actor=_IN_FLIGHT),
                    num_cpus=cpus * share,
                    num_gpus=gpus,
                    max_restarts=-1,
                    max_task_retries=0,
                )
            for row in dataset.iter_rows():
                yield cast(Outcome, pickle.loads(row["outcome"]))


def _read(batch: Row, plan: Any) -> Iterator[Row]:
    known, workplace = _plan(plan)
    for lot in batch["lot"]:
        for parcel in read_lot(pickle.loads(lot), known, workplace):
            yield _row("parcel", parcel)


class _Embedding:
    def __init__(self, plan: Any) -> None:
        self._stage = EmbeddingStage(_plan(plan)[1])

    def __call__(self, batch: Row) -> Iterator[Row]:
        for parcel in batch["parcel"]:
            yield _row("parcel", self._stage(pickle.loads(parcel)))


class _Writing:
    def __init__(self, plan: Any) -> None:
        self._stage = WritingStage(_plan(plan)[1])

    def __call__(self, batch: Row) -> Iterator[Row]:
        for parcel in batch["parcel"]:
            yield _row("outcome", self._stage(pickle.loads(parcel)))


@cache
def _plan(reference: Any) -> tuple[dict[str, str], Workplace]:
    """What was put once for all workers, fetched once in each."""
    return cast("tuple[dict[str, str], Workplace]", _ray.get(reference))


def _row(column: str, value: object) -> Row:
    cell = np.empty(1, object)
    cell[0] = pickle.dumps(value)
    return {column: cell}


@contextmanager
def _quiet_context() -> Generator[None]:
    """Ray Data's settings for an ingest; those of whoever else uses it in this process are left as they were."""
    before = _data.DataContext.get_current()
    context = before.copy()
    context.enable_progress_bars = False
    context.print_on_execution_start = False
    context.max_errored_blocks = -1
    context.target_max_block_size = 1  # each parcel on its way as soon as it is made
    context.execution_options.preserve_order = False
    _data.DataContext._set_current(context)  # there is no public way
    try:
        yield
    finally:
        _data.DataContext._set_current(before)


def _connect(settings: RaySettings) -> None:
    """Join the cluster of the settings, or start one that lives as long as this process stays connected to it."""
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    for name in ("ray", "ray.data"):
        logging.getLogger(name).setLevel(logging.CRITICAL)
    quiet: dict[str, object] = {"logging_level": logging.CRITICAL, "log_to_driver": False}
    if settings.address:
        try:
            _ray.init(address=settings.address, **quiet)
        except (
            Exception
        ) as error:  # ConnectionError, RuntimeError, ValueError, TimeoutError: as the address is wrong
            raise ConfigurationError(
                f"ingest.ray.address = {settings.address!r}: there is no Ray cluster to be reached ({error}); "
                "start one with 'ray start --head', or leave the address empty"
            ) from error
        return
    for attempt in range(1, _START_ATTEMPTS + 1):
        try:
            _ray.init(address="local", num_cpus=_local_cpus(settings), include_dashboard=False, **quiet)
        except Exception as error:
            with contextlib.suppress(Exception):
                _ray.shutdown()
            if attempt == _START_ATTEMPTS:
                raise ConfigurationError(
                    f"Ray did not start on this machine, in {attempt} attempts ({error}); use the local engine"
                ) from error
        else:
            return


def _local_cpus(settings: RaySettings) -> int:
    """CPUs to book on a cluster of one's own: those there are, or those that so many workers need."""
    return max(len(os.sched_getaffinity(0)), int(settings.workers * settings.cpus_per_worker + 0.999))


def _workers_of_cluster(settings: RaySettings) -> int:
    resources = cast("dict[str, float]", _ray.cluster_resources())
    workers = int(resources.get("CPU", 0) // settings.cpus_per_worker)
    if settings.gpus_per_worker:
        workers = min(workers, int(resources.get("GPU", 0) // settings.gpus_per_worker))
    if workers < 1:
        raise ConfigurationError(
            f"the cluster has {resources.get('CPU', 0):g} CPUs and {resources.get('GPU', 0):g} GPUs, less than one worker "
            "takes; lower ingest.ray.cpus_per_worker or gpus_per_worker"
        )
    return workers
