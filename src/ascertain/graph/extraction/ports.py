"""The port of what reads the graph out of documents."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Protocol, runtime_checkable

from ascertain.core.chunks import Chunk
from ascertain.core.graph import DocumentGraph
from ascertain.graph.extraction.estimate import ExtractionEstimate


class Extractor(Protocol):
    """Reads what documents say.

    The same chunks give the same graph, whatever else is read with them, so that a graph built piece by piece equals one built at once.
    Only an extractor that asks a chat model may differ from run to run.
    """

    @property
    def name(self) -> str:
        """What tells its results from those of another extractor, or of an earlier version of this one."""
        ...

    def extract(self, documents: Iterable[tuple[str, Sequence[Chunk]]]) -> Iterator[DocumentGraph]:
        """One graph for each document, in order, lazily; a document is given by its content hash and its searchable chunks in order (at least one).

        Raises ModelError where a model cannot be used at all; what a model says of one document never ends the run.
        """
        ...


@runtime_checkable
class CostlyExtractor(Extractor, Protocol):
    """One whose readings cost something. Its budget is for all that one object reads: another run takes another one."""

    @property
    def notes(self) -> tuple[str, ...]:
        """What went otherwise than it should have so far, a line each."""
        ...

    def estimate(self, documents: Iterable[Sequence[Chunk]]) -> ExtractionEstimate:
        """What reading these documents would take, each given by its chunks; costs nothing."""
        ...
