"""Moving a knowledge base to another embedding model: a further dense vector on the same points, then the facts name it."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace

from ascertain.core.documents import Chunk
from ascertain.core.errors import StoreError
from ascertain.stores.ports import Vectors
from ascertain.stores.preparation import Generation, stored_form
from ascertain.stores.qdrant import facts, reads
from ascertain.stores.qdrant.payloads import CHUNK_FIELDS, chunk_of, text_of
from ascertain.stores.qdrant.points import Points, Stored
from ascertain.stores.qdrant.schema import AnyOf, HasVector, What, Where, dense_name
from ascertain.stores.qdrant.versions import Sight, Versions

_CHUNK = AnyOf("what", [What.CHUNK.value])


class QdrantReembedding:
    """A generation of vectors being filled."""

    def __init__(self, points: Points, versions: Versions, generation: Generation) -> None:
        self._points = points
        self._versions = versions
        self._generation = generation
        self._name = dense_name(generation.number)

    def pending(self, batch: int) -> Iterator[list[Chunk]]:
        """Searchable chunks that have no vector of the new model yet, up to ``batch`` at a time."""
        waiting: list[Chunk] = []
        for part in self._without_vector(CHUNK_FIELDS):
            waiting.append(chunk_of(part.payload))
            if len(waiting) == batch:
                yield waiting
                waiting = []
        if waiting:
            yield waiting

    def put(self, chunk_ids: Sequence[str], vectors: Vectors) -> None:
        """Store vectors of the new model; durable when this returns."""
        if vectors.shape != (len(chunk_ids), self._generation.dimension):
            raise StoreError(
                f"{self._generation.model}: vectors of shape {vectors.shape} for {len(chunk_ids)} chunks "
                f"of dimension {self._generation.dimension}"
            )
        values = dict(zip(chunk_ids, stored_form(vectors).astype("float32"), strict=True))
        for where in reads.build_id_conditions(self._points, chunk_ids, _CHUNK):
            # Whichever versions there are: the vector is that of the chunk's text, whose place is its name.
            found = {
                p.id: text_of(p.payload["id"])
                for p in self._keep_current(self._points.scroll(where, ("id", "owner", "version")))
            }
            self._points.put_vectors({point: values[name] for point, name in found.items()}, self._name)
        self._points.settle()

    @property
    def total(self) -> int:
        """How many chunks are still without a new vector."""
        return sum(1 for _ in self._without_vector(("owner", "version")))

    def _without_vector(self, fields: Sequence[str]) -> Iterator[Stored]:
        where = Where((_CHUNK,), must_not=(HasVector(self._name),))
        page: list[Stored] = []
        for part in self._points.scroll(where, fields):
            page.append(part)
            if len(page) == reads.SLICE:
                yield from self._keep_current(page)
                page = []
        yield from self._keep_current(page)

    def _keep_current(self, parts: Iterator[Stored] | Sequence[Stored]) -> list[Stored]:
        found = list(parts)

        def read(sight: Sight) -> list[Stored]:
            pairs = {p.id: (str(p.payload["owner"]), str(p.payload["version"])) for p in found}
            shown = sight.visible(pairs)
            return [part for part in found if part.id in shown]

        return self._versions.read_consistently(read)


@contextmanager
def open_reembedding(points: Points, versions: Versions, model: str, dimension: int) -> Generator[QdrantReembedding]:
    """Take up or begin a move to ``model``; switch over at the end, if every chunk has its vector.

    Raises StoreError when some have none. After any error the old vectors stay in use and what was put is kept.
    """
    generation = _begin_generation(points, model, dimension)
    points.add_vector(dense_name(generation.number), dimension)
    work = QdrantReembedding(points, versions, generation)
    yield work
    missing = work.total
    if missing:
        raise StoreError(
            f"{missing} chunks in {points.place} have no vector of {model} yet: run `ascertain reindex` again to go on"
        )
    while True:
        stored = facts.require_facts(points)
        if stored.building != generation:
            raise StoreError(
                f"another process began to move {points.place} to another model meanwhile: run `ascertain reindex` again"
            )
        if facts.replace_facts(points, stored, replace(stored, active=generation, building=None)):
            break
    points.remove_vector(dense_name(stored.active.number))
    points.settle()


def start_over(points: Points, stored: facts.Facts, model: str, dimension: int) -> bool:
    """Take another model for a knowledge base without vectors; whether nobody else changed it meanwhile."""
    number = max(stored.active.number, stored.building.number if stored.building else 0) + 1
    generation = Generation(number, model, dimension)
    points.add_vector(dense_name(number), dimension)
    if not facts.replace_facts(points, stored, replace(stored, active=generation, building=None)):
        return False
    for former in (stored.active, stored.building):
        if former is not None:
            points.remove_vector(dense_name(former.number))
    return True


def _begin_generation(points: Points, model: str, dimension: int) -> Generation:
    while True:
        stored = facts.require_facts(points)
        former = stored.building
        if former is not None and (former.model, former.dimension) == (model, dimension):
            return former
        number = max(stored.active.number, former.number if former else 0) + 1
        generation = Generation(number, model, dimension)
        if facts.replace_facts(points, stored, replace(stored, building=generation)):
            if former is not None:
                points.remove_vector(dense_name(former.number))
            return generation
