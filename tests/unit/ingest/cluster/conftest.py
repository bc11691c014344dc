from __future__ import annotations

import pickle
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager

import pytest

from ascertain.core.settings import IngestSettings, RaySettings
from ascertain.ingest.cluster.batches import Lot, Outcome, Parcel
from ascertain.ingest.cluster.engine import ClusterIngestor
from ascertain.ingest.cluster.stages import EmbeddingStage, Workplace, WritingStage, read_lot
from ascertain.sources.formats.reader import ReadOptions


class WorkerDied(BaseException):
    """Takes the lot or parcel in work with it, as a process does that is killed."""


class InlineCluster:
    """The stages one after another in this process, parcels pickled in between as on a cluster.

    ``order`` may shuffle parcels before they are written; ``dies`` raises WorkerDied at will.
    """

    workers = 2
    death = WorkerDied

    def __init__(self) -> None:
        self.order: Callable[[list[Parcel]], Sequence[Parcel]] = list
        self.dies_reading: Callable[[Lot], None] = lambda lot: None
        self.dies_embedding: Callable[[Parcel], None] = lambda parcel: None
        self.dies_after_writing: Callable[[Outcome], None] = lambda outcome: None
        self.rounds: list[list[Lot]] = []
        self.outcome_count = 0

    @contextmanager
    def crew(self) -> Generator[InlineCluster]:
        yield self

    def outcomes(self, lots: Sequence[Lot], known: Mapping[str, str], workplace: Workplace) -> Iterator[Outcome]:
        self.rounds.append(list(lots))
        embed, write = EmbeddingStage(workplace), WritingStage(workplace)
        for parcel in self.order(list(self._parcels(lots, known, workplace))):
            try:
                self.dies_embedding(parcel)
                outcome = write(_travelled(embed(parcel)))
                self.dies_after_writing(outcome)
            except WorkerDied:
                continue
            self.outcome_count += 1
            yield _travelled(outcome)

    def _parcels(self, lots: Sequence[Lot], known: Mapping[str, str], workplace: Workplace) -> Iterator[Parcel]:
        for lot in lots:
            try:
                for parcel in read_lot(_travelled(lot), known, workplace):
                    self.dies_reading(lot)
                    yield _travelled(parcel)
            except WorkerDied:
                continue


def _travelled(value):
    return pickle.loads(pickle.dumps(value))


@pytest.fixture
def cluster() -> InlineCluster:
    return InlineCluster()


@pytest.fixture
def settings() -> IngestSettings:
    return IngestSettings(embed_batch=4, write_batch=6)


@pytest.fixture
def workplace(store, embedder, settings) -> Workplace:
    settings = settings.model_copy(update={"ray": RaySettings(store_wait_seconds=0)})
    return Workplace(settings, ReadOptions(), lambda: store, lambda: embedder)


@pytest.fixture
def ingestor(store, cluster, workplace) -> ClusterIngestor:
    return ClusterIngestor(store, cluster, workplace)
