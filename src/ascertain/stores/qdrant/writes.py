"""Writing documents: new parts, then the document's point, then away with the old parts.

Two writers of one document cannot both replace the same version: each changes the document's point over the version it
read. The engine does not report what it changed, so a writer checks which version is current then. If it is another's,
its own may have been current for a moment, and its parts be deleted already: it writes the document again under another
version. So a version is current at most once, and any process may delete one that is no longer current.
Parts that belong to no current version are left only by a killed writer.
"""

import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from tantivy import TextAnalyzer

from ascertain.core.asking.passages import Filter
from ascertain.core.documents.documents import Document, DocumentState
from ascertain.stores.qdrant import payloads, reads, schema
from ascertain.stores.qdrant.lexical_leg import body_words, document_weights, title_words
from ascertain.stores.qdrant.payloads import Columns
from ascertain.stores.qdrant.points import Points
from ascertain.stores.qdrant.schema import IS_DOCUMENT, AnyOf, Numbers, PointIds, What, Where, new_version
from ascertain.stores.qdrant.terms import Point, Stored
from ascertain.stores.qdrant.versions import Versions, current_versions, now_microseconds, rewriting_error
from ascertain.stores.records.documents import Prepared
from ascertain.stores.records.encoding import escape_text
from ascertain.stores.records.vectors import Generation

# Points in one request: at 1,000 characters and 1,000 dimensions about 10 MB of JSON, of the 32 MiB that Qdrant takes.
_REQUEST_POINTS = 500
_REQUEST_CHARACTERS = 4_000_000
# Parts of no current version that are this old were left by a dead writer.
ABANDONED_SECONDS = 3_600
_ATTEMPTS = 100


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
        waiting = {schema.document_point(each.source.document.id): each for each in documents}
        for _ in range(_ATTEMPTS):
            for point in self._write_versions(waiting, weighing):
                del waiting[point]
            if not waiting:
                return
        raise rewriting_error(self._points)

    def mark_failed(self, document: Document, reason: str) -> None:
        """Note a failure; an earlier version keeps its parts."""
        point = schema.document_point(document.id)
        state = {"state": DocumentState.FAILED.value, "reason": escape_text(reason)}
        fields = {**payloads.document_payload(document), **state}
        self._points.insert([Point(point, {**fields, "version": new_version(), "written": self._next_stamp()})])
        self._points.set_payload(Where((PointIds([point]),)), state)

    def delete(self, documents: dict[str, str]) -> int:
        """Delete documents, given as versions by point, unless they are of another version by now; how many went."""
        for points in _split_values(list(documents)):
            versions = [documents[point] for point in points]
            self._points.delete(Where((IS_DOCUMENT, PointIds(points), AnyOf("version", versions))))
            left = current_versions(self._points, points)
            pairs = zip(points, versions, strict=True)
            self._delete_dead_parts(
                points, [version for point, version in pairs if left.get(point, ("", 0))[0] != version]
            )
        return len(documents) - len(current_versions(self._points, documents))

    def abandoned(self, owners: Sequence[str] = ()) -> Where:
        """Parts that may belong to no current version and to no living writer."""
        # In this order: what begins after this moment is younger, and what is under way is known.
        latest = self._next_stamp() - ABANDONED_SECONDS * 1_000_000
        with self._mutex:
            under_way = list(self._under_way)
        where = Where(
            (Numbers("written", last=latest),), must_not=(AnyOf("what", [What.DOCUMENT.value, What.FACTS.value]),)
        )
        if owners:
            where = where.also(AnyOf("owner", owners))
        return where.without(AnyOf("version", under_way)) if under_way else where

    def _write_versions(self, documents: Mapping[str, Prepared], weighing: Weighing) -> list[str]:
        """Write documents, by point, under new versions; the points of those that are current."""
        versions = {point: new_version() for point in documents}
        with self._mutex:
            self._under_way.update(versions.values())
        try:
            began = self._next_stamp()
            parts = (
                part
                for point, each in documents.items()
                for part in _build_parts(each, versions[point], weighing, began)
            )
            for batch in _batch_points(parts):
                self._points.upsert(batch)
            fields = {point: _document_fields(each) for point, each in documents.items()}
            done, dead = self._switch_versions(fields, versions)
            self._delete_dead_parts(list(versions), dead)
        finally:
            with self._mutex:
                self._under_way.difference_update(versions.values())
        return done

    def _switch_versions(
        self, fields: Mapping[str, Columns], versions: Mapping[str, str]
    ) -> tuple[list[str], list[str]]:
        """Make the new versions current: the points where they are, and the versions that are not any more."""
        before = current_versions(self._points, versions)
        new = {
            point: Point(point, {**columns, "version": versions[point], "written": self._next_stamp()})
            for point, columns in fields.items()
        }
        for points in _split_values([point for point in new if point not in before]):
            self._points.insert([new[point] for point in points])
        for points in _split_values([point for point in new if point in before]):
            old = AnyOf("version", [before[point][0] for point in points])
            self._points.replace([new[point] for point in points], Where((old,)))
        after = {point: version for point, (version, _) in current_versions(self._points, versions).items()}
        done = [point for point, version in versions.items() if after.get(point) == version]
        seen = [*versions.items(), *((point, version) for point, (version, _) in before.items())]
        return done, [version for point, version in seen if after.get(point) != version]

    def _delete_dead_parts(self, owners: list[str], dead: list[str]) -> None:
        """Delete the parts of versions that are not current any more, and what killed writers left of their owners."""
        for versions in _split_values(dead):
            self._points.delete(Where((AnyOf("version", versions),), must_not=(IS_DOCUMENT,)))
        for points in _split_values(owners):
            abandoned = self.abandoned(points)
            current = [version for version, _ in current_versions(self._points, points).values()]
            self._points.delete(abandoned.without(AnyOf("version", current)))

    def _next_stamp(self) -> int:
        """A moment in microseconds, later than any this writer gave before."""
        with self._mutex:
            self._last_stamp = max(now_microseconds(), self._last_stamp + 1)
            return self._last_stamp


def _document_fields(document: Prepared) -> Columns:
    source = document.source
    return {
        **payloads.document_payload(source.document, source.added_at),
        **payloads.state_fields(source),
        **payloads.profile_fields(source.document),
        "chunks": len(document.searchable),
    }


def _build_parts(document: Prepared, version: str, weighing: Weighing, began: int) -> Iterator[Point]:
    source = document.source.document
    columns = payloads.document_columns(source)
    shared = {**payloads.shared_fields(source), "version": version, "written": began}
    title = title_words(weighing.analyzer, source.title, source.language)
    vector = schema.dense_name(weighing.generation.number)
    for chunk, values in zip(document.searchable, document.vectors, strict=True):
        body = body_words(weighing.analyzer, chunk)
        fields = {"id": escape_text(chunk.id), "words": " ".join(body), "title_words": " ".join(title)}
        yield Point(
            schema.versioned_point(version, schema.chunk_name(chunk.id)),
            {**payloads.chunk_payload(columns, shared, chunk), **fields},
            {vector: values.astype("float32")},
            document_weights(body, title, weighing.averages),
        )
    for place, chunk in enumerate(document.parents):
        fields = {"id": escape_text(chunk.id), "place": place}
        yield Point(
            schema.versioned_point(version, schema.chunk_name(chunk.id)),
            {**payloads.chunk_payload(columns, shared, chunk), **fields},
        )
    kept = {name: shared[name] for name in ("tenant", "owner", "version", "written")}
    for place, piece in enumerate(payloads.text_pieces(source)):
        fields = {"what": What.TEXT.value, "place": place, "text": escape_text(piece)}
        yield Point(schema.versioned_point(version, f"text {place}"), {**kept, **fields})


def _batch_points(points: Iterator[Point]) -> Iterator[list[Point]]:
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


def _split_values(values: list[str]) -> Iterator[list[str]]:
    for start in range(0, len(values), _REQUEST_POINTS):
        yield values[start : start + _REQUEST_POINTS]


# Documents rewritten by another process while they are deleted are looked at again so many times.
_ROUNDS = 5


def delete_documents(points: Points, versions: Versions, writer: Writer, filter: Filter) -> int:
    """Delete the documents that ``filter`` selects; how many there were."""
    deleted = 0
    for _ in range(_ROUNDS):
        found = reads.fetch_document_points(points, versions, filter, ("id", "version"))
        if not found:
            break
        _promote_duplicates(points, found)
        deleted += writer.delete({each.id: str(each.payload["version"]) for each in found})
    return deleted


def _promote_duplicates(points: Points, leaving: list[Stored]) -> None:
    """Make the oldest duplicate of each leaving document the original of the others, before it goes."""
    ids = {each.id: each for each in leaving}
    for start in range(0, len(leaving), reads.SLICE):
        originals = [each.id for each in leaving[start : start + reads.SLICE]]
        where = Where((IS_DOCUMENT, AnyOf("original", originals)))
        heirs: dict[str, list[Stored]] = {}
        for point in points.scroll(where, ("id", "original", "written", "state")):
            if point.id not in ids:
                heirs.setdefault(str(point.payload["original"]), []).append(point)
        for duplicates in heirs.values():
            _promote_heir(points, sorted(duplicates, key=lambda point: int(str(point.payload["written"]))))


def _promote_heir(points: Points, duplicates: list[Stored]) -> None:
    heir, *others = duplicates
    # The others first: interrupted here, the next deletion still finds the heir by what it repeats.
    if others:
        now = {"duplicate_of": heir.payload["id"], "original": heir.id}
        points.set_payload(Where((PointIds([point.id for point in others]),)), now)
    cleared: dict[str, object] = {"duplicate_of": None, "original": None, "reason": ""}
    if heir.payload["state"] == DocumentState.DUPLICATE.value:
        cleared["state"] = DocumentState.INDEXED.value
    points.set_payload(Where((PointIds([heir.id]),)), cleared)
