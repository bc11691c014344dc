"""Writing documents: new parts, then the document's point, then away with the old parts.

Two writers of one document cannot both replace the same version: each changes the document's point over the version it read. What the
engine changed it does not tell, so a writer looks which version is current then. Where it is another's, its own may have been current for a
moment, and its parts be deleted already: it writes the document anew under another version. So a version is current once at most, and every
one that is not any more can be deleted by whoever sees it. Parts that belong to no current version are left only by a writer that was killed.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from tantivy import TextAnalyzer

from ascertain.core.documents import Document, DocumentState
from ascertain.stores.escaping import escaped
from ascertain.stores.generations import Generation
from ascertain.stores.prepared import Prepared
from ascertain.stores.qdrant import payloads
from ascertain.stores.qdrant.conditions import AnyOf, Numbers, Where
from ascertain.stores.qdrant.conditions import Points as PointIds
from ascertain.stores.qdrant.names import (
    chunk_name,
    dense_name,
    document_point,
    new_version,
    versioned_point,
)
from ascertain.stores.qdrant.payloads import Columns
from ascertain.stores.qdrant.points import Point, Points
from ascertain.stores.qdrant.schema import What
from ascertain.stores.qdrant.versions import current_versions, now, restless
from ascertain.stores.qdrant.word_weights import body_words, document_weights, title_words

# Points in one request: at 1,000 characters and 1,000 dimensions about 10 MB of JSON, of the 32 MiB that Qdrant takes.
_REQUEST_POINTS = 500
_REQUEST_CHARACTERS = 4_000_000
# Parts of no current version that are this old on a server were left by a writer that is gone.
ABANDONED_SECONDS = 3_600
_ATTEMPTS = 100

_IS_DOCUMENT = AnyOf("what", [What.DOCUMENT.value])


@dataclass(frozen=True, slots=True)
class Weighing:
    """How chunks are made searchable: vectors of a model, words by the average lengths of texts and titles."""

    generation: Generation
    analyzer: TextAnalyzer
    averages: tuple[float, float]


class Writer:
    """Writes to one collection. Safe to use from several threads."""

    def __init__(self, points: Points) -> None:
        self._points = points
        self._mutex = threading.Lock()
        self._under_way: set[str] = set()
        self._last_stamp = 0

    def put(self, documents: Sequence[Prepared], weighing: Weighing) -> None:
        """Write documents over any earlier versions, each as a whole."""
        waiting = {document_point(each.source.document.id): each for each in documents}
        for _ in range(_ATTEMPTS):
            for point in self._write(waiting, weighing):
                del waiting[point]
            if not waiting:
                return
        raise restless(self._points)

    def mark_failed(self, document: Document, reason: str) -> None:
        """Note a failure; an earlier version keeps its parts."""
        point = document_point(document.id)
        state = {"state": DocumentState.FAILED.value, "reason": escaped(reason)}
        fields = {**payloads.document_payload(document), **state}
        self._points.insert([Point(point, {**fields, "version": new_version(), "written": self._stamp()})])
        self._points.set_payload(Where((PointIds([point]),)), state)

    def delete(self, documents: dict[str, str]) -> int:
        """Delete documents, given as versions by point; those that are not of this version any more stay. How many went."""
        for points in _slices(list(documents)):
            versions = [documents[point] for point in points]
            self._points.delete(Where((_IS_DOCUMENT, PointIds(points), AnyOf("version", versions))))
            left = current_versions(self._points, points)
            pairs = zip(points, versions, strict=True)
            self._clear(
                points, [version for point, version in pairs if left.get(point, ("", 0))[0] != version]
            )
        return len(documents) - len(current_versions(self._points, documents))

    def abandoned(self, owners: Sequence[str] = ()) -> Where:
        """Parts that may belong to no current version and to no writer that is still there."""
        # In this order: what begins after this moment is younger, and what is under way is known.
        latest = self._stamp() - (ABANDONED_SECONDS * 1_000_000 if self._points.is_shared else 0)
        with self._mutex:
            under_way = list(self._under_way)
        where = Where(
            (Numbers("written", last=latest),),
            must_not=(AnyOf("what", [What.DOCUMENT.value, What.FACTS.value]),),
        )
        if owners:
            where = where.also(AnyOf("owner", owners))
        return where.without(AnyOf("version", under_way)) if under_way else where

    def _write(self, documents: Mapping[str, Prepared], weighing: Weighing) -> list[str]:
        """Write documents, by point, under new versions; the points of those that are current."""
        versions = {point: new_version() for point in documents}
        with self._mutex:
            self._under_way.update(versions.values())
        try:
            began = self._stamp()
            parts = (
                part
                for point, each in documents.items()
                for part in _parts(each, versions[point], weighing, began)
            )
            for batch in _batches(parts):
                self._points.upsert(batch)
            fields = {point: _document_fields(each) for point, each in documents.items()}
            done, dead = self._switch(fields, versions)
            self._clear(list(versions), dead)
        finally:
            with self._mutex:
                self._under_way.difference_update(versions.values())
        return done

    def _switch(
        self, fields: Mapping[str, Columns], versions: Mapping[str, str]
    ) -> tuple[list[str], list[str]]:
        """Make the new versions current, over whichever are now: the points where they are, and the versions that are not any more."""
        before = current_versions(self._points, versions)
        new = {
            point: Point(point, {**columns, "version": versions[point], "written": self._stamp()})
            for point, columns in fields.items()
        }
        for points in _slices([point for point in new if point not in before]):
            self._points.insert([new[point] for point in points])
        for points in _slices([point for point in new if point in before]):
            old = AnyOf("version", [before[point][0] for point in points])
            self._points.replace([new[point] for point in points], Where((old,)))
        after = {point: version for point, (version, _) in current_versions(self._points, versions).items()}
        done = [point for point, version in versions.items() if after.get(point) == version]
        seen = [*versions.items(), *((point, version) for point, (version, _) in before.items())]
        return done, [version for point, version in seen if after.get(point) != version]

    def _clear(self, owners: list[str], dead: list[str]) -> None:
        """Delete the parts of versions that are not current any more, and what killed writers left of these documents."""
        for versions in _slices(dead):
            self._points.delete(Where((AnyOf("version", versions),), must_not=(_IS_DOCUMENT,)))
        for points in _slices(owners):
            abandoned = self.abandoned(points)
            current = [version for version, _ in current_versions(self._points, points).values()]
            self._points.delete(abandoned.without(AnyOf("version", current)))

    def _stamp(self) -> int:
        """A moment in microseconds, later than any this writer gave before."""
        with self._mutex:
            self._last_stamp = max(now(), self._last_stamp + 1)
            return self._last_stamp


def _document_fields(document: Prepared) -> Columns:
    source = document.source
    return {
        **payloads.document_payload(source.document, source.added_at),
        **payloads.state_fields(source),
        **payloads.profile_fields(source.document),
        "chunks": len(document.searchable),
    }


def _parts(document: Prepared, version: str, weighing: Weighing, began: int) -> Iterator[Point]:
    source = document.source.document
    columns = payloads.document_columns(source)
    shared = {**payloads.shared_fields(source), "version": version, "written": began}
    title = title_words(weighing.analyzer, source.title)
    vector = dense_name(weighing.generation.number)
    for chunk, values in zip(document.searchable, document.vectors, strict=True):
        body = body_words(weighing.analyzer, chunk)
        fields = {"id": escaped(chunk.id), "words": " ".join(body), "title_words": " ".join(title)}
        yield Point(
            versioned_point(version, chunk_name(chunk.id)),
            {**payloads.chunk_payload(columns, shared, chunk), **fields},
            {vector: values.astype("float32")},
            document_weights(body, title, weighing.averages),
        )
    for place, chunk in enumerate(document.parents):
        fields = {"id": escaped(chunk.id), "place": place}
        yield Point(
            versioned_point(version, chunk_name(chunk.id)),
            {**payloads.chunk_payload(columns, shared, chunk), **fields},
        )
    kept = {name: shared[name] for name in ("tenant", "owner", "version", "written")}
    for place, piece in enumerate(payloads.text_pieces(source)):
        fields = {"what": What.TEXT.value, "place": place, "text": escaped(piece)}
        yield Point(versioned_point(version, f"text {place}"), {**kept, **fields})


def _batches(points: Iterator[Point]) -> Iterator[list[Point]]:
    batch: list[Point] = []
    characters = 0
    for point in points:
        batch.append(point)
        characters += sum(len(value) for value in point.payload.values() if isinstance(value, str))
        if len(batch) == _REQUEST_POINTS or characters > _REQUEST_CHARACTERS:
            yield batch
            batch, characters = [], 0
    if batch:
        yield batch


def _slices(values: list[str]) -> Iterator[list[str]]:
    for start in range(0, len(values), _REQUEST_POINTS):
        yield values[start : start + _REQUEST_POINTS]
