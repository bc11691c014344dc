"""The record of a home, opened, and the statements that read and write it; every function runs inside the caller's
transaction.
"""

import json
import threading
from collections import OrderedDict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ascertain.core.asking.passages import Filter
from ascertain.core.documents.documents import Chunk
from ascertain.core.documents.profiling import CorpusProfile, DocumentType
from ascertain.core.settings import StoreSettings
from ascertain.stores.embedded import change_log
from ascertain.stores.embedded.connections import Connections
from ascertain.stores.embedded.dialect import RecordConnection
from ascertain.stores.embedded.home import Layout, WriterLock
from ascertain.stores.records import encoding
from ascertain.stores.records.documents import Prepared, signature_bands
from ascertain.stores.records.rows import CHUNK_ROW, blocks_json, chunk_row, python_text, topic_rows
from ascertain.stores.records.vectors import Generation
from ascertain.stores.relational.database import bind_marks, select_chunks, select_documents
from ascertain.stores.relational.graph_rows import has_other_version
from ascertain.stores.relational.graph_store import forget_documents
from ascertain.stores.relational.reads import StoredVectors, simplify_filter, sum_versions
from ascertain.stores.relational.store import prepared_values, promote_duplicate


def row_numbers(db: RecordConnection, chunk_ids: Sequence[str]) -> dict[int, str]:
    """Id by row number, of the searchable chunks that exist."""
    return dict(
        db.execute(
            "SELECT row, id FROM chunks WHERE id IN (SELECT value FROM json_each(?)) AND is_parent = 0",
            (json.dumps(chunk_ids),),
        )
    )


def fetch_chunk_ids(db: RecordConnection, numbers: Sequence[int], tenant: str) -> dict[int, str]:
    """Chunk id by row number, for those that still exist and belong to ``tenant``."""
    wanted = json.dumps(numbers)
    chosen = "SELECT c.row, c.id FROM json_each(?) wanted CROSS JOIN chunks c ON c.row = wanted.value"
    if only_tenant(db) == tenant:
        return dict(db.execute(chosen, (wanted,)))
    # CROSS JOIN and + keep SQLite from beginning with all documents of the tenant.
    owned = "CROSS JOIN documents d ON d.number = c.document WHERE +d.tenant = ?"
    return dict(db.fetch_rows(f"{chosen} {owned}", wanted, tenant))


def matching_rows(db: RecordConnection, filter: Filter) -> list[tuple[int, int]]:
    """Intervals ``(first row, count)`` of the searchable chunks that ``filter`` selects."""
    if filter.names_chunks:
        condition = select_chunks(filter, db.dialect)
        found = f"""SELECT c.row, 1 FROM chunks c JOIN documents d ON d.number = c.document
                    WHERE NOT c.is_parent AND {condition.sql}"""
    else:
        condition = select_documents(filter, db.dialect)
        found = f"SELECT d.first_row, d.chunks FROM documents d WHERE d.chunks > 0 AND {condition.sql}"
    return [(row, count) for row, count in db.fetch_rows(found, *condition.parameters)]


def only_tenant(db: RecordConnection) -> str | None:
    """The tenant that owns everything, if there is only one."""
    lowest, highest = db.execute(
        "SELECT (SELECT min(tenant) FROM documents), (SELECT max(tenant) FROM documents)"
    ).fetchone()
    return python_text(lowest) if lowest is not None and lowest == highest else None


def stored_vectors(db: RecordConnection, generation: Generation, names: Mapping[int, str]) -> StoredVectors:
    """Ids and vectors of the chunks, named by row, that have one, in no order."""
    found = db.execute(
        """SELECT v.row, v.vector FROM json_each(?) wanted CROSS JOIN vectors v ON v.row = wanted.value
           WHERE v.generation = ?""",
        (json.dumps(list(names)), generation.number),
    ).fetchall()
    joined = b"".join(vector for _, vector in found)
    return [names[row] for row, _ in found], np.frombuffer(joined, np.float16).reshape(-1, generation.dimension)


def compute_fingerprint(db: RecordConnection, filter: Filter) -> str:
    """Of the searchable documents that ``filter`` selects."""
    condition = select_documents(simplify_filter(db, filter), db.dialect)
    return encoding.format_fingerprint(sum_versions(db, condition))


def count_chunks(db: RecordConnection, tenant: str) -> int:
    """Searchable chunks of one tenant."""
    counting = "SELECT coalesce(sum(chunks), 0) FROM documents WHERE tenant = ? AND first_row IS NOT NULL"
    return int(db.fetch_rows(counting, tenant)[0][0])


def corpus_profile(db: RecordConnection, tenant: str) -> CorpusProfile:
    """Aggregated over the searchable documents that have a profile."""
    # The index on tenant and type holds all that is read here but the domains.
    profiled = "d.tenant = ? AND d.type IS NOT NULL AND d.first_row IS NOT NULL"
    types = db.fetch_rows(
        f"""SELECT d.type, count(*), sum(d.technical_density) FROM documents d WHERE {profiled}
            GROUP BY d.type""",
        tenant,
    )
    domains = db.fetch_rows(
        f"""SELECT each.value, count(*) FROM documents d, json_each(d.domains) each WHERE {profiled}
            GROUP BY each.value""",
        tenant,
    )
    return CorpusProfile.from_counts(
        sum(number for _, number, _ in types),
        sum(density for _, _, density in types),
        {DocumentType(name): number for name, number, _ in types},
        {python_text(name): number for name, number in domains},
    )


def write_document(db: RecordConnection, document: Prepared, generation: Generation) -> int:
    """Write one document over any earlier version; how many rows were added and removed.

    The graph of an earlier text, in the same file, is deleted with it: a kill before the new one was read
    leaves nothing of the old.
    """
    given = document.source.document
    removed = delete_by_ids(db, [given.id])
    if has_other_version(db, given.tenant, given.id, given.content_hash):
        forget_documents(db, given.tenant, [given.id])
    first = change_log.read_position(db).high_row + 1
    number = _insert_document(db, document, first)
    chunks = [*document.searchable, *document.parents]
    db.insert_rows("chunks", CHUNK_ROW, [chunk_row(first + place, number, chunk) for place, chunk in enumerate(chunks)])
    topics = [each for place, chunk in enumerate(chunks) for each in topic_rows(first + place, number, chunk)]
    db.insert_rows("chunk_topics", "topic, row, document", topics)
    db.executemany(
        "INSERT INTO vectors (row, generation, vector) VALUES (?, ?, ?)",
        [(first + place, generation.number, vector.tobytes()) for place, vector in enumerate(document.vectors)],
    )
    count = len(document.searchable)
    if count:
        change_log.append_change(db, "add", first, first + count - 1)
    return removed + count


def delete_by_ids(db: RecordConnection, document_ids: Iterable[str]) -> int:
    """Delete documents with everything only they own; how many searchable chunks went."""
    rows = 0
    for document_id in document_ids:
        found = db.fetch_rows("SELECT number, first_row, chunks FROM documents WHERE id = ?", document_id)
        for number, first, count in found:
            db.execute("DELETE FROM documents WHERE number = ?", (number,))
            if count:
                change_log.append_change(db, "remove", first, first + count - 1)
                rows += count
    return rows


def delete_by_filter(db: RecordConnection, filter: Filter) -> int:
    """Delete the documents that ``filter`` selects, with what the graph in the same file says of them; how many there were."""
    condition = select_documents(filter, db.dialect)
    found = db.fetch_rows(f"SELECT d.id FROM documents d WHERE {condition.sql}", *condition.parameters)
    deleted = [python_text(document_id) for (document_id,) in found]
    delete_by_ids(db, deleted)
    for document_id in deleted:
        promote_duplicate(db, document_id)
    forget_documents(db, filter.tenant, deleted)
    return len(deleted)


def _insert_document(db: RecordConnection, prepared: Prepared, first_row: int) -> int:
    document, signature = prepared.source.document, prepared.source.signature
    values = {**prepared_values(prepared), "first_row": first_row}
    adding = f"INSERT INTO documents ({', '.join(values)}) VALUES ({bind_marks(values)})"
    number = db.execute(adding, db.encode_values(values.values())).lastrowid or 0
    db.insert_rows("texts", "document, text, blocks", [(number, document.text, blocks_json(document.blocks))])
    db.insert_rows("document_tags", "document, tag", [(number, tag) for tag in set(document.tags)])
    if signature is not None:
        own = [(band, number) for band in set(signature_bands(signature))]
        db.executemany("INSERT INTO signature_bands (band, document) VALUES (?, ?)", own)
    return number


def delete_retired_vectors(db: RecordConnection, limit: int) -> int:
    """Delete up to ``limit`` vectors of retired generations; how many there were."""
    deleted = db.change_rows(
        """DELETE FROM vectors WHERE (row, generation) IN (
               SELECT v.row, v.generation FROM vectors v JOIN generations g ON g.number = v.generation
               WHERE g.state = 'retired' LIMIT ?)""",
        limit,
    )
    if deleted < limit:
        db.execute("DELETE FROM generations WHERE state = 'retired'")
    return deleted


def has_retired_vectors(db: RecordConnection) -> bool:
    """Whether ``delete_retired_vectors`` has something to do."""
    return bool(db.fetch_rows("SELECT 1 FROM generations WHERE state = 'retired'"))


def has_vectors(db: RecordConnection) -> bool:
    """Whether any vector is stored."""
    return bool(db.fetch_rows("SELECT 1 FROM vectors LIMIT 1"))


_KEPT_NAMES = 100_000


class RowNames:
    """Looks up chunk ids by row and rows by id; drops everything when the record has changed.

    One hybrid search asks for the same hundred or two hundred chunks several times, and the next one for many of them again.
    """

    def __init__(self) -> None:
        self._mutex = threading.Lock()
        self._sequence = -1
        self._rows: dict[str, int] = {}
        self._ids: dict[str, dict[int, str | None]] = {}  # by tenant; None for rows that are not there or another's

    def ids(self, db: RecordConnection, rows: Sequence[int], tenant: str) -> dict[int, str]:
        """Chunk id by row, for those that exist and belong to ``tenant``."""
        sequence = change_log.latest_sequence(db)
        with self._mutex:
            kept = self._ids.get(tenant, {}) if self._sequence == sequence else {}
            found = {row: kept[row] for row in rows if row in kept}
        missing = [row for row in rows if row not in found]
        if missing:
            fetched = fetch_chunk_ids(db, missing, tenant)
            found |= {row: fetched.get(row) for row in missing}
            with self._mutex:
                self._begin(sequence, len(missing))
                self._rows.update({chunk_id: row for row, chunk_id in fetched.items()})
                self._ids.setdefault(tenant, {}).update({row: found[row] for row in missing})
        return {row: chunk_id for row, chunk_id in found.items() if chunk_id is not None}

    def rows(self, db: RecordConnection, chunk_ids: Sequence[str]) -> dict[int, str]:
        """Chunk id by row, of the searchable chunks that exist."""
        sequence = change_log.latest_sequence(db)
        with self._mutex:
            kept = self._rows if self._sequence == sequence else {}
            found = {kept[chunk_id]: chunk_id for chunk_id in chunk_ids if chunk_id in kept}
            missing = [chunk_id for chunk_id in chunk_ids if chunk_id not in kept]
        if missing:
            fetched = row_numbers(db, missing)
            with self._mutex:
                self._begin(sequence, len(fetched))
                self._rows.update({chunk_id: row for row, chunk_id in fetched.items()})
            found |= fetched
        return found

    def _begin(self, sequence: int, count: int) -> None:
        """Make room for ``count`` more names of the record as it is after ``sequence``; the caller holds the mutex."""
        held = len(self._rows) + sum(map(len, self._ids.values()))
        if sequence != self._sequence or held + count > _KEPT_NAMES:
            self._rows, self._ids = {}, {}
        self._sequence = sequence


_KEPT_CHARACTERS = 4_000_000
"""Of the texts of chunks that are kept, about 15 MB in all with what else a chunk has."""


class KeptChunks:
    """The chunks that were read last, as long as nothing in the record changes: questions over one knowledge base have many candidates
    in common, and making chunks of rows is the costliest step of a search.
    """

    def __init__(self) -> None:
        self._mutex = threading.Lock()
        self._sequence = -1
        self._chunks: OrderedDict[str, Chunk] = OrderedDict()
        self._characters = 0

    def find(self, sequence: int, chunk_ids: Sequence[str]) -> dict[str, Chunk]:
        """Those of the named chunks that are kept from the record as it was after the change ``sequence``."""
        with self._mutex:
            kept = self._chunks if self._sequence == sequence else OrderedDict[str, Chunk]()
            return {chunk_id: kept[chunk_id] for chunk_id in chunk_ids if chunk_id in kept}

    def keep(self, sequence: int, chunks: Mapping[str, Chunk]) -> None:
        """Chunks of the record as it was after the change ``sequence``; the oldest go where they would be too many."""
        with self._mutex:
            if sequence != self._sequence:
                self._chunks, self._characters, self._sequence = OrderedDict(), 0, sequence
            for chunk_id, chunk in chunks.items():
                if chunk_id not in self._chunks:
                    self._chunks[chunk_id] = chunk
                    self._characters += len(chunk.text)
            while self._characters > _KEPT_CHARACTERS:
                _, oldest = self._chunks.popitem(last=False)
                self._characters -= len(oldest.text)


@dataclass(frozen=True, slots=True)
class OpenRecord:
    """The record of one home, opened for vectors of one model."""

    layout: Layout
    connections: Connections
    lock: WriterLock
    generation: Generation
    settings: StoreSettings
    identity: str
    """Of the record; ties the derived indexes to it."""
    names: RowNames

    @property
    def index_lock(self) -> WriterLock | None:
        """What derived indexes are written under; None when nothing can be written."""
        return None if self.connections.read_only else self.lock
