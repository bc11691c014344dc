"""The schema of the record, as numbered steps.

A step is never changed once released; a new one is added at the end. ``schema_version`` lists the steps applied.
"""

from __future__ import annotations

import sqlite3
import uuid
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

from ascertain.core.errors import StoreError
from ascertain.stores.embedded import knowledge_graph_schema, service_schema
from ascertain.stores.embedded.connections import Connections
from ascertain.stores.embedded.layout import Layout
from ascertain.stores.fingerprints import version_number
from ascertain.stores.rows import python_text

Migration = Callable[[sqlite3.Connection], None]


def migration_0001_documents(db: sqlite3.Connection) -> None:
    """Documents with their text and tags, and the identity that ties the derived indexes to this record."""
    for statement in (
        "CREATE TABLE home (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID",
        """CREATE TABLE documents (
            number INTEGER PRIMARY KEY AUTOINCREMENT,
            id TEXT NOT NULL UNIQUE, tenant TEXT NOT NULL, source TEXT NOT NULL, title TEXT NOT NULL,
            kind TEXT NOT NULL, url TEXT, author TEXT, published_at TEXT, published INTEGER, language TEXT,
            tags TEXT NOT NULL, profile TEXT NOT NULL, conversation_id TEXT,
            state TEXT NOT NULL, reason TEXT NOT NULL, content_hash TEXT NOT NULL, characters INTEGER NOT NULL,
            chunks INTEGER NOT NULL, first_row INTEGER, added_at TEXT NOT NULL, duplicate_of TEXT, signature BLOB)""",
        "CREATE INDEX documents_by_source ON documents (tenant, source)",
        "CREATE INDEX documents_by_date ON documents (tenant, published)",
        "CREATE INDEX documents_by_conversation ON documents (conversation_id) WHERE conversation_id IS NOT NULL",
        "CREATE INDEX documents_by_original ON documents (duplicate_of) WHERE duplicate_of IS NOT NULL",
        """CREATE TABLE texts (
            document INTEGER PRIMARY KEY REFERENCES documents (number) ON DELETE CASCADE,
            text TEXT NOT NULL, regions TEXT NOT NULL)""",
        """CREATE TABLE document_tags (
            document INTEGER NOT NULL REFERENCES documents (number) ON DELETE CASCADE,
            tag TEXT NOT NULL, PRIMARY KEY (document, tag)) WITHOUT ROWID""",
        "CREATE INDEX documents_by_tag ON document_tags (tag)",
    ):
        db.execute(statement)
    db.execute("INSERT INTO home VALUES ('identity', ?)", (uuid.uuid4().hex,))


def migration_0002_chunks(db: sqlite3.Connection) -> None:
    """Chunks, and the log of what was added and removed.

    ``chunks.row`` is never used twice (AUTOINCREMENT) and a row's content never changes, so an index that has
    applied everything up to a row only needs the later rows and the removals. The searchable chunks of a
    document have the rows ``first_row .. first_row + chunks - 1``.
    """
    for statement in (
        """CREATE TABLE chunks (
            row INTEGER PRIMARY KEY AUTOINCREMENT,
            id TEXT NOT NULL UNIQUE,
            document INTEGER NOT NULL REFERENCES documents (number) ON DELETE CASCADE,
            position INTEGER NOT NULL, span_start INTEGER NOT NULL, span_end INTEGER NOT NULL,
            text TEXT NOT NULL, heading TEXT NOT NULL, place TEXT, parent_id TEXT, is_parent INTEGER NOT NULL,
            overlap_previous INTEGER NOT NULL, overlap_next INTEGER NOT NULL)""",
        "CREATE INDEX chunks_of_document ON chunks (document, position)",
        """CREATE TABLE changes (
            sequence INTEGER PRIMARY KEY AUTOINCREMENT,
            kind TEXT NOT NULL CHECK (kind IN ('add', 'remove', 'embed')),
            first_row INTEGER NOT NULL, last_row INTEGER NOT NULL)""",
    ):
        db.execute(statement)


def migration_0003_vectors(db: sqlite3.Connection) -> None:
    """Vectors as float16, one for each searchable chunk and generation (an embedding model and its dimension)."""
    for statement in (
        """CREATE TABLE generations (
            number INTEGER PRIMARY KEY AUTOINCREMENT,
            model TEXT NOT NULL, dimension INTEGER NOT NULL CHECK (dimension > 0),
            state TEXT NOT NULL CHECK (state IN ('active', 'building', 'retired')), created_at TEXT NOT NULL)""",
        "CREATE UNIQUE INDEX one_active_generation ON generations (state) WHERE state = 'active'",
        "CREATE UNIQUE INDEX one_building_generation ON generations (state) WHERE state = 'building'",
        """CREATE TABLE vectors (
            row INTEGER NOT NULL REFERENCES chunks (row) ON DELETE CASCADE,
            generation INTEGER NOT NULL REFERENCES generations (number),
            vector BLOB NOT NULL, PRIMARY KEY (row, generation)) WITHOUT ROWID""",
    ):
        db.execute(statement)


def migration_0004_signature_bands(db: sqlite3.Connection) -> None:
    """Bands of MinHash signatures, for finding near-duplicates without comparing every pair."""
    db.execute(
        """CREATE TABLE signature_bands (
            band INTEGER NOT NULL,
            document INTEGER NOT NULL REFERENCES documents (number) ON DELETE CASCADE,
            PRIMARY KEY (band, document)) WITHOUT ROWID"""
    )
    db.execute("CREATE INDEX signature_bands_of_document ON signature_bands (document)")


def migration_0005_turns(db: sqlite3.Connection) -> None:
    """Turns of conversations, in the order in which they were begun.

    ``owner`` is the token of the process that works on a running turn. ``answer`` is the whole answer, compressed JSON.
    """
    for statement in (
        """CREATE TABLE turns (
            number INTEGER PRIMARY KEY AUTOINCREMENT,
            tenant TEXT NOT NULL, conversation TEXT NOT NULL, turn TEXT NOT NULL,
            question TEXT NOT NULL, asked_at TEXT NOT NULL,
            state TEXT NOT NULL CHECK (state IN ('running', 'finished', 'failed', 'interrupted')),
            reason TEXT NOT NULL DEFAULT '', owner TEXT NOT NULL,
            standalone TEXT, text TEXT, type TEXT, finished_at TEXT, answer BLOB,
            UNIQUE (tenant, conversation, turn))""",
        "CREATE INDEX turns_in_order ON turns (tenant, conversation, number)",
        "CREATE INDEX turns_with_answers ON turns (tenant, conversation, number) WHERE answer IS NOT NULL",
    ):
        db.execute(statement)


def migration_0006_document_profiles(db: sqlite3.Connection) -> None:
    """What kind of text each document is; NULL for those written before."""
    for statement in (
        "ALTER TABLE documents ADD COLUMN type TEXT",
        "ALTER TABLE documents ADD COLUMN type_confidence REAL",
        "ALTER TABLE documents ADD COLUMN technical_density REAL",
        "ALTER TABLE documents ADD COLUMN domains TEXT",
        """CREATE INDEX documents_by_type ON documents (tenant, type, first_row, technical_density, domains)
           WHERE type IS NOT NULL""",
    ):
        db.execute(statement)


def migration_0007_ingest_runs(db: sqlite3.Connection) -> None:
    """Runs of ingest. ``owner`` is the token of the process that stands for a running one; ``started`` is for ordering."""
    for statement in (
        """CREATE TABLE ingest_runs (
            number INTEGER PRIMARY KEY AUTOINCREMENT,
            tenant TEXT NOT NULL, id TEXT NOT NULL, engine TEXT NOT NULL, what TEXT NOT NULL,
            started_at TEXT NOT NULL, started INTEGER NOT NULL, updated_at TEXT NOT NULL,
            state TEXT NOT NULL CHECK (state IN ('running', 'finished', 'failed', 'interrupted')), owner TEXT NOT NULL,
            bytes_done INTEGER NOT NULL, bytes_total INTEGER NOT NULL, chunks INTEGER NOT NULL, failures INTEGER NOT NULL,
            reason TEXT NOT NULL, UNIQUE (tenant, id))""",
        "CREATE INDEX ingest_runs_in_order ON ingest_runs (tenant, started, number)",
    ):
        db.execute(statement)


def migration_0008_service(db: sqlite3.Connection) -> None:
    """What a service keeps: keys, jobs, files, feedback, answers, rate limits, events and fetches."""
    for statement in service_schema.STATEMENTS:
        db.execute(statement)


def migration_0009_versions(db: sqlite3.Connection) -> None:
    """A number for each version of a document, which fingerprints are added up of (see ``stores.fingerprints``)."""

    def number_of(document_id: str | bytes, content_hash: str) -> int:
        return version_number(python_text(document_id), content_hash)

    db.create_function("version_number", 2, number_of, deterministic=True)
    for statement in (
        "ALTER TABLE documents ADD COLUMN version INTEGER",
        "UPDATE documents SET version = version_number(id, content_hash)",
        """CREATE INDEX documents_by_version ON documents (tenant, conversation_id, version, first_row, chunks)
           WHERE chunks > 0""",
    ):
        db.execute(statement)


def migration_0010_knowledge_graph(db: sqlite3.Connection) -> None:
    """What documents say: names, mentions, relations, aliases, and what was decided and written about them."""
    for statement in knowledge_graph_schema.STATEMENTS:
        db.execute(statement)


MIGRATIONS: tuple[Migration, ...] = (
    migration_0001_documents,
    migration_0002_chunks,
    migration_0003_vectors,
    migration_0004_signature_bands,
    migration_0005_turns,
    migration_0006_document_profiles,
    migration_0007_ingest_runs,
    migration_0008_service,
    migration_0009_versions,
    migration_0010_knowledge_graph,
)


def schema_version(db: sqlite3.Connection) -> int:
    """The last step applied; 0 for a new database."""
    exists = db.execute("SELECT 1 FROM sqlite_master WHERE name = 'schema_version'").fetchone()
    if exists is None:
        return 0
    return int(db.execute("SELECT coalesce(max(version), 0) FROM schema_version").fetchone()[0])


def check_version(db: sqlite3.Connection, home: Path) -> int:
    """The schema version; raises StoreError for one that this program does not know."""
    version = schema_version(db)
    if version > len(MIGRATIONS):
        raise StoreError(
            f"{home} was written by a newer Ascertain (schema {version}, this one knows {len(MIGRATIONS)}): "
            "upgrade with `pip install -U ascertain`"
        )
    return version


def outdated(home: Path) -> StoreError:
    """The error for a home that lacks steps and cannot be written to."""
    return StoreError(
        f"{home} was written by an earlier Ascertain and is read-only: make it writable once, "
        "so that it can be brought up to date"
    )


def migrate(db: sqlite3.Connection) -> None:
    """Apply the missing steps; the caller holds a write transaction, so all of them happen or none."""
    db.execute(
        "CREATE TABLE IF NOT EXISTS schema_version (version INTEGER PRIMARY KEY, applied_at TEXT NOT NULL)"
    )
    for number in range(schema_version(db) + 1, len(MIGRATIONS) + 1):
        MIGRATIONS[number - 1](db)
        db.execute("INSERT INTO schema_version VALUES (?, ?)", (number, datetime.now(UTC).isoformat()))


def bring_up(layout: Layout, connections: Connections) -> None:
    """Make sure that the record has every step; StoreError for one that cannot be written to or is too new."""
    with connections.read() as db:
        version = check_version(db, layout.home)
    if version == len(MIGRATIONS):
        return
    if connections.read_only:
        raise outdated(layout.home)
    # Without the writer's lock: every step only adds to the schema, and an ingest under way must not be waited for.
    with connections.write() as db:
        migrate(db)
