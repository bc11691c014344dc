"""Opening a knowledge base in Qdrant: which way, its format, and the embedding model it was built with."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from ascertain.core.errors import MissingExtra, StoreError
from ascertain.core.settings import StoreSettings
from ascertain.stores.generations import Generation, mismatch
from ascertain.stores.qdrant import facts, schema
from ascertain.stores.qdrant.conditions import HasVector, Where
from ascertain.stores.qdrant.names import dense_name
from ascertain.stores.qdrant.points import Points
from ascertain.stores.qdrant.reembedding import start_over
from ascertain.stores.qdrant.store import QdrantStore
from ascertain.stores.schema import SchemaChange


def open_qdrant(
    settings: StoreSettings, home: Path, embedder_name: str, dimension: int, *, create: bool = True
) -> QdrantStore:
    """The store on the server of ``settings.url``, or in ``<home>/qdrant`` without one.

    Raises StoreError when there is none and ``create`` is False or it cannot be used, EmbeddingMismatch when it was built with
    another model, and MissingExtra when the client is not installed.
    """
    points = connect(settings, home)
    try:
        stored = _begun(points, embedder_name, dimension) if create else _present(points)
        return QdrantStore(points, _generation(points, stored, embedder_name, dimension), settings)
    except BaseException:
        points.close()
        raise


def stored_model(settings: StoreSettings, home: Path) -> tuple[str, int] | None:
    """Name and dimension of the embedding model a knowledge base was built with; None when there is none yet."""
    points = connect(settings, home)
    try:
        stored = _stored(points)
    finally:
        points.close()
    return None if stored is None else (stored.active.model, stored.active.dimension)


def pending_qdrant(settings: StoreSettings, home: Path) -> SchemaChange:
    """What ``upgrade_qdrant`` would do."""
    with _opened(settings, home) as (points, stored):
        return _change(stored, _missing(points))


def upgrade_qdrant(settings: StoreSettings, home: Path) -> SchemaChange:
    """Make the payload indexes that are missing and bring the format up to date.

    A collection is made for the vectors of a model, so an empty server stays empty until documents are added.
    """
    with _opened(settings, home) as (points, stored), points.writing():
        missing = _missing(points)
        for field in missing:
            points.add_index(field)
        now = stored
        while now.format < schema.FORMAT:
            facts.change(points, now, replace(now, format=schema.FORMAT))
            now = facts.present(points)
        return _change(stored, missing)


def connect(settings: StoreSettings, home: Path) -> Points:
    """The collection that the settings name; raises MissingExtra when what reaches it is not installed."""
    try:
        if settings.url:
            from ascertain.stores.qdrant.server import ServerPoints  # noqa: PLC0415

            return ServerPoints(settings)
        from ascertain.stores.qdrant.edge import EdgePoints  # noqa: PLC0415

        return EdgePoints(settings, home)
    except ModuleNotFoundError as error:
        if error.name not in {"qdrant_client", "qdrant_edge"}:
            raise
        raise MissingExtra("the qdrant store", "qdrant") from error


@contextmanager
def _opened(settings: StoreSettings, home: Path) -> Generator[tuple[Points, facts.Facts]]:
    points = connect(settings, home)
    try:
        yield points, _present(points)
    finally:
        points.close()


def _begun(points: Points, model: str, dimension: int) -> facts.Facts:
    stored = _stored(points)
    if stored is None:
        first = Generation(1, model, dimension)
        points.create(dense_name(first.number), dimension)
        stored = facts.begin(points, facts.Facts(first))
    return stored


def _present(points: Points) -> facts.Facts:
    stored = _stored(points)
    if stored is None:
        raise StoreError(f"there is no knowledge base in {points.place}: run `ascertain add` first")
    return stored


def _missing(points: Points) -> list[str]:
    return sorted(schema.INDEXES.keys() - points.indexes())


def _change(stored: facts.Facts, missing: list[str]) -> SchemaChange:
    steps = (*schema.STEPS[stored.format :], *(f"index of {field}" for field in missing))
    return SchemaChange(stored.format, schema.FORMAT, steps)


def _stored(points: Points) -> facts.Facts | None:
    """The facts, where the collection was made completely."""
    return facts.read(points) if points.exists() else None


def _generation(points: Points, stored: facts.Facts, model: str, dimension: int) -> Generation:
    while (stored.active.model, stored.active.dimension) != (model, dimension):
        # While nothing is embedded, the model can still be chosen.
        if points.count(Where((HasVector(dense_name(stored.active.number)),))):
            raise mismatch(points.place, stored.active, model, dimension)
        with points.writing():
            start_over(points, stored, model, dimension)
        stored = facts.present(points)
    return stored.active
