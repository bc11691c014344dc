from __future__ import annotations

import pickle
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager

import pytest

from ascertain.core.settings import IngestSettings, RaySettings
from ascertain.documents.formats.reader import ReadOptions
from ascertain.documents.ingest.cluster.batches import DocumentBatch, Outcome, SourceBatch
from ascertain.documents.ingest.cluster.engine import ClusterIngestor
from ascertain.documents.ingest.cluster.stages import EmbeddingStage, Workplace, WritingStage, read_sources


class WorkerDied(BaseException):
    """Takes the batch in work with it, as a process does that is killed."""


class InlineCluster:
    """The stages one after another in this process, batches pickled in between as on a cluster.

    ``order`` may shuffle batches before they are written; ``dies`` raises WorkerDied at will.
    """

    workers = 2
    death = WorkerDied

    def __init__(self) -> None:
        self.order: Callable[[list[DocumentBatch]], Sequence[DocumentBatch]] = list
        self.dies_reading: Callable[[SourceBatch], None] = lambda batch: None
        self.dies_embedding: Callable[[DocumentBatch], None] = lambda batch: None
        self.dies_after_writing: Callable[[Outcome], None] = lambda outcome: None
        self.rounds: list[list[SourceBatch]] = []
        self.outcome_count = 0

    @contextmanager
    def crew(self) -> Generator[InlineCluster]:
        yield self

    def outcomes(
        self, batches: Sequence[SourceBatch], known: Mapping[str, str], workplace: Workplace
    ) -> Iterator[Outcome]:
        self.rounds.append(list(batches))
        embed, write = EmbeddingStage(workplace), WritingStage(workplace)
        for batch in self.order(list(self._read_batches(batches, known, workplace))):
            try:
                self.dies_embedding(batch)
                outcome = write(_travelled(embed(batch)))
                self.dies_after_writing(outcome)
            except WorkerDied:
                continue
            self.outcome_count += 1
            yield _travelled(outcome)

    def _read_batches(
        self, given: Sequence[SourceBatch], known: Mapping[str, str], workplace: Workplace
    ) -> Iterator[DocumentBatch]:
        for sources in given:
            try:
                for batch in read_sources(_travelled(sources), known, workplace):
                    self.dies_reading(sources)
                    yield _travelled(batch)
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
