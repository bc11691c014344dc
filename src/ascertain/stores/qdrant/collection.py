"""The knowledge base as a whole: its facts, how it is opened, and how it moves to another model.

One point holds the facts. It is changed only from the revision that was read, so that two processes cannot both
change it. Another model has a further dense vector on the same points; once all have it, the facts name that one.
"""

import json
from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ascertain.core.documents.documents import Chunk
from ascertain.core.errors import SchemaMismatch, StoreError
from ascertain.core.service.status import SchemaChange
from ascertain.core.settings import StoreSettings
from ascertain.stores.ports.chunks import Vectors
from ascertain.stores.qdrant import reads, schema
from ascertain.stores.qdrant.payloads import CHUNK_FIELDS, chunk_of, text_of
from ascertain.stores.qdrant.points import Points
from ascertain.stores.qdrant.schema import FORMAT, IS_CHUNK, AnyOf, HasVector, What, Where, dense_name, new_version
from ascertain.stores.qdrant.terms import Point, Stored
from ascertain.stores.qdrant.versions import Versions
from ascertain.stores.records.encoding import escape_text, unescape_text
from ascertain.stores.records.vectors import Generation, mismatch_error, stored_form


@dataclass(frozen=True, slots=True)
class Facts:
    """``averages`` are the mean lengths of texts and titles that BM25 uses, None before the first chunk is written."""

    active: Generation
    building: Generation | None = None
    averages: tuple[float, float] | None = None
    format: int = FORMAT
    revision: str = ""


def _fetch_facts(points: Points) -> Facts | None:
    """The facts as they stand; None before there are any. Raises SchemaMismatch for those of another version of the program."""
    for point in points.retrieve([schema.FACTS_POINT], ("body", "version")):
        facts = _read_facts(json.loads(unescape_text(str(point.payload["body"]))), str(point.payload["version"]))
        if facts.format != FORMAT:
            raise SchemaMismatch(points.place, facts.format, FORMAT)
        return facts
    return None


def require_facts(points: Points) -> Facts:
    """The facts as they stand; StoreError where there are none."""
    found = _fetch_facts(points)
    if found is None:
        raise StoreError(f"the knowledge base in {points.place} was removed: run `ascertain add` to start again")
    return found


def _insert_facts(points: Points, facts: Facts) -> Facts:
    """Write the first facts; those of a faster process win."""
    points.insert([_facts_point(replace(facts, revision=new_version()))])
    return require_facts(points)


def replace_facts(points: Points, before: Facts, after: Facts) -> bool:
    """Write ``after`` if ``before`` still stands; whether it did."""
    revised = replace(after, revision=new_version())
    points.replace([_facts_point(revised)], Where((AnyOf("version", [before.revision]),)))
    return require_facts(points).revision == revised.revision


def _facts_point(facts: Facts) -> Point:
    body = {
        "format": facts.format,
        "active": _generation_row(facts.active),
        "building": facts.building and _generation_row(facts.building),
        "averages": facts.averages,
    }
    text = escape_text(json.dumps(body, ensure_ascii=False))
    return Point(schema.FACTS_POINT, {"what": What.FACTS.value, "version": facts.revision, "body": text})


def _generation_row(generation: Generation) -> list[object]:
    return [generation.number, generation.model, generation.dimension]


def _read_facts(body: dict[str, Any], revision: str) -> Facts:
    building, averages = body["building"], body["averages"]
    return Facts(
        Generation(*body["active"]),
        Generation(*building) if building else None,
        (averages[0], averages[1]) if averages else None,
        body["format"],
        revision,
    )


def stored_model(settings: StoreSettings, home: Path) -> tuple[str, int] | None:
    """Name and dimension of the embedding model a knowledge base was built with; None when there is none yet."""
    points = Points(settings)
    try:
        stored = _fetch_complete(points)
    finally:
        points.close()
    return None if stored is None else (stored.active.model, stored.active.dimension)


def read_schema(settings: StoreSettings, home: Path) -> SchemaChange:
    """The format of a collection, which is made for the vectors of a model, with the first document."""
    points = Points(settings)
    try:
        return SchemaChange(_facts_of(points).format, FORMAT)
    finally:
        points.close()


def choose_generation(points: Points, model: str, dimension: int, create: bool) -> Generation:
    """The vectors that ``model`` is to use, of a collection that is made where there is none and ``create`` allows it.

    Raises StoreError where there is none, and EmbeddingMismatch when vectors of another model are there.
    """
    stored = _fetch_complete(points) if create else _facts_of(points)
    if stored is None:
        first = Generation(1, model, dimension)
        points.create(dense_name(first.number), dimension)
        stored = _insert_facts(points, Facts(first))
    while (stored.active.model, stored.active.dimension) != (model, dimension):
        # While nothing is embedded, the model can still be chosen.
        if points.count(Where((HasVector(dense_name(stored.active.number)),))):
            raise mismatch_error(points.place, stored.active, model, dimension)
        _start_over(points, stored, model, dimension)
        stored = require_facts(points)
    return stored.active


def missing_indexes(points: Points) -> list[str]:
    """The fields that have no index yet."""
    return sorted(schema.INDEXES.keys() - points.indexes())


def add_missing_indexes(points: Points) -> list[str]:
    """Make the indexes that are missing; the fields."""
    missing = missing_indexes(points)
    for field in missing:
        points.add_index(field)
    return missing


def _facts_of(points: Points) -> Facts:
    stored = _fetch_complete(points)
    if stored is None:
        raise StoreError(f"there is no knowledge base in {points.place}: run `ascertain add` first")
    return stored


def _fetch_complete(points: Points) -> Facts | None:
    """The facts, where the collection was made completely."""
    return _fetch_facts(points) if points.exists() else None


class QdrantReembedding:
    """A generation of vectors being filled."""

    def __init__(self, points: Points, versions: Versions, generation: Generation) -> None:
        self._points = points
        self._versions = versions
        self._generation = generation
        self._name = dense_name(generation.number)

    def pending(self, batch: int) -> Iterator[list[Chunk]]:
        waiting: list[Chunk] = []
        for part in self._without_vector(CHUNK_FIELDS):
            waiting.append(chunk_of(part.payload))
            if len(waiting) == batch:
                yield waiting
                waiting = []
        if waiting:
            yield waiting

    def put(self, chunk_ids: Sequence[str], vectors: Vectors) -> None:
        if vectors.shape != (len(chunk_ids), self._generation.dimension):
            raise StoreError(
                f"{self._generation.model}: vectors of shape {vectors.shape} for {len(chunk_ids)} chunks "
                f"of dimension {self._generation.dimension}"
            )
        values = dict(zip(chunk_ids, stored_form(vectors).astype("float32"), strict=True))
        for where in reads.build_id_conditions(chunk_ids, IS_CHUNK):
            # Whichever versions there are: the vector is that of the chunk's text, whose place is its name.
            found = {
                p.id: text_of(p.payload["id"])
                for p in self._keep_current(self._points.scroll(where, ("id", "owner", "version")))
            }
            self._points.put_vectors({point: values[name] for point, name in found.items()}, self._name)

    @property
    def total(self) -> int:
        return sum(1 for _ in self._without_vector(("owner", "version")))

    def _without_vector(self, fields: Sequence[str]) -> Iterator[Stored]:
        where = Where((IS_CHUNK,), must_not=(HasVector(self._name),))
        page: list[Stored] = []
        for part in self._points.scroll(where, fields):
            page.append(part)
            if len(page) == reads.SLICE:
                yield from self._keep_current(page)
                page = []
        yield from self._keep_current(page)

    def _keep_current(self, parts: Iterable[Stored]) -> list[Stored]:
        found = list(parts)
        return self._versions.read_consistently(lambda sight: reads.keep_visible(sight, found))


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
        stored = require_facts(points)
        if stored.building != generation:
            raise StoreError(
                f"another process began to move {points.place} to another model meanwhile: run `ascertain reindex` again"
            )
        if replace_facts(points, stored, replace(stored, active=generation, building=None)):
            break
    points.remove_vector(dense_name(stored.active.number))


def _start_over(points: Points, stored: Facts, model: str, dimension: int) -> bool:
    """Switch the model of a knowledge base without vectors; whether no one else changed it meanwhile."""
    number = max(stored.active.number, stored.building.number if stored.building else 0) + 1
    generation = Generation(number, model, dimension)
    points.add_vector(dense_name(number), dimension)
    if not replace_facts(points, stored, replace(stored, active=generation, building=None)):
        return False
    for former in (stored.active, stored.building):
        if former is not None:
            points.remove_vector(dense_name(former.number))
    return True


def _begin_generation(points: Points, model: str, dimension: int) -> Generation:
    while True:
        stored = require_facts(points)
        former = stored.building
        if former is not None and (former.model, former.dimension) == (model, dimension):
            return former
        number = max(stored.active.number, former.number if former else 0) + 1
        generation = Generation(number, model, dimension)
        if replace_facts(points, stored, replace(stored, building=generation)):
            if former is not None:
                points.remove_vector(dense_name(former.number))
            return generation
