"""A home as each version of the schema held it, written by SQL alone.

``make(home, version)`` writes what that version had a place for. The expected values below are what must be there after any upgrade.
"""

import hashlib
import sqlite3
from datetime import UTC, datetime

import numpy as np

from ascertain.core.documents.documents import Document, DocumentKind
from ascertain.stores.embedded.migrations import MIGRATIONS

DOCUMENTS = {
    "a1b2": ("/notes/backup.md", "Backups", ("Keep the recovery phrase on paper.", "Naïve copies are lost.")),
    "c3d4": ("/notes/wallets.md", "Wallets", ("A hardware wallet signs alone.", "GPT-4 is no wallet.")),
}
"""Source, title and the texts of the searchable chunks, by document id."""
FAILED = "e5f6"
TALK = "g7h8"
"""A document that was fetched for the conversation ``talk``, without chunks."""
MODEL, DIMENSION = "model-a", 8
KEY = b"k" * 32


def make(home, version):
    """A home at a version of the schema, with everything that it held."""
    home.mkdir()
    db = sqlite3.connect(home / "record.sqlite3", isolation_level=None)
    db.execute("CREATE TABLE schema_version (version INTEGER PRIMARY KEY, applied_at TEXT NOT NULL)")
    filling = {**{1: _documents, 2: _chunks, 3: _vectors, 4: _bands, 5: _turns, 7: _runs, 8: _service}, 10: _graph}
    for number, step in enumerate(MIGRATIONS[:version], 1):
        step(db)
        db.execute("INSERT INTO schema_version VALUES (?, 'then')", (number,))
        if number in filling:
            filling[number](db)
    db.close()


def hash_of(document):
    """The hash of the content of a document, as it was written."""
    source, title, texts = DOCUMENTS[document]
    written = Document(
        id=document,
        text="\n".join(texts),
        title=title,
        kind=DocumentKind.PROSE,
        source=source,
        published_at=datetime(2025, 3, 1, tzinfo=UTC),
        tags=("x",),
        profile="general",
    )
    return written.content_hash


def chunk_ids(document):
    return [f"{document}:{place}" for place in range(len(DOCUMENTS[document][2]))]


def vector(row):
    """The vector of the chunk of this row: an axis of its own."""
    return [1.0 if place == row % DIMENSION else 0.0 for place in range(DIMENSION)]


def rows():
    """Row, id, document number, position, start and text of every searchable chunk."""
    row = 0
    for number, (document, (_, _, texts)) in enumerate(DOCUMENTS.items(), 1):
        start = 0
        for place, text in enumerate(texts):
            row += 1
            yield row, f"{document}:{place}", number, place, start, text
            start += len(text) + 1


def _documents(db):
    insertion = """INSERT INTO documents (id, tenant, source, title, kind, published_at, published, tags, profile, conversation_id,
                       state, reason, content_hash, characters, chunks, first_row, added_at)
                   VALUES (?, 'default', ?, ?, 'prose', '2025-03-01T00:00:00+00:00', 1740787200000000, '["x"]', 'general', ?,
                       ?, ?, ?, ?, ?, ?, '2025-03-02T00:00:00+00:00')"""
    first = 1
    for number, (document, (source, title, texts)) in enumerate(DOCUMENTS.items(), 1):
        text = "\n".join(texts)
        values = (document, source, title, None, "indexed", "", hash_of(document), len(text), len(texts), first)
        db.execute(insertion, values)
        db.execute("INSERT INTO texts VALUES (?, ?, '[]')", (number, text))
        db.execute("INSERT INTO document_tags VALUES (?, 'x')", (number,))
        first += len(texts)
    db.execute(insertion, (FAILED, "/notes/scan.pdf", "", None, "failed", "no text in it", "", 0, 0, None))
    db.execute(insertion, (TALK, "https://example.org/", "", "talk", "indexed", "", "hash", 0, 0, first))


def _chunks(db):
    insertion = "INSERT INTO chunks VALUES (?, ?, ?, ?, ?, ?, ?, 'A heading', NULL, NULL, 0, 0, 0)"
    for row, name, number, place, start, text in rows():
        db.execute(insertion, (row, name, number, place, start, start + len(text), text))
    for first, last in db.execute(
        "SELECT first_row, first_row + chunks - 1 FROM documents WHERE chunks > 0"
    ).fetchall():
        db.execute("INSERT INTO changes (kind, first_row, last_row) VALUES ('add', ?, ?)", (first, last))


def _vectors(db):
    db.execute(
        "INSERT INTO generations (model, dimension, state, created_at) VALUES (?, ?, 'active', 'then')",
        (MODEL, DIMENSION),
    )
    for row, *_ in rows():
        db.execute("INSERT INTO vectors VALUES (?, 1, ?)", (row, np.array(vector(row), np.float16).tobytes()))


def _bands(db):
    db.execute("INSERT INTO signature_bands SELECT 7, number FROM documents")


def _turns(db):
    for turn, state, text in (("1", "finished", "On paper."), ("2", "running", None)):
        db.execute(
            """INSERT INTO turns (tenant, conversation, turn, question, asked_at, state, owner, text, type, finished_at)
               VALUES ('default', 'c', ?, 'where?', '2026-03-01T12:00:00+00:00', ?, 'somebody', ?, 'summary',
                   '2026-03-01T12:00:01+00:00')""",
            (turn, state, text),
        )


def _runs(db):
    db.execute(
        """INSERT INTO ingest_runs (tenant, id, engine, what, started_at, started, updated_at, state, owner, bytes_done, bytes_total,
               chunks, failures, reason)
           VALUES ('default', 'r', 'local', '/notes', '2026-03-01T12:00:00+00:00', 1772366400000000,
               '2026-03-01T12:00:00+00:00', 'finished', '', 10, 10, 5, 1, '')"""
    )


def digest(*names):
    return hashlib.sha256(b"".join(len(name).to_bytes(8, "big") + name.encode() for name in names)).digest()


def _service(db):
    noon = 1772366400000000
    db.execute(
        """INSERT INTO api_keys (id_key, digest, id, name, tenant, hint, created, requests_per_minute, is_admin)
           VALUES (?, ?, 'k', 'laptop', 'default', 'asc_12', ?, 60, 0)""",
        (digest("k"), KEY, noon),
    )
    db.execute(
        """INSERT INTO jobs (job_key, id_key, tenant_key, id, kind, what, created, updated, tenant, state, owner, work, report, done,
               total, reason, attempts)
           VALUES (?, ?, ?, 'j', 'upload', 'a file', ?, ?, 'default', 'running', 'somebody', '{"a": 1}', '{}', 1, 2, '', 1)""",
        (digest("default", "j"), digest("j"), digest("default"), noon, noon),
    )
    db.execute(
        """INSERT INTO given_answers (answer_key, tenant_key, id, answered, question, answer_type, strategy, confidence, question_kind,
               features, tenant, thumb, comment, judged)
           VALUES (?, ?, 'a', ?, 'why?', 'summary', 'hybrid', 70, '', '{}', 'default', 'up', 'good', ?)""",
        (digest("default", "a"), digest("default"), noon, noon),
    )


def _graph(db):
    db.execute("INSERT INTO graph_tenants VALUES (3, ?, 'default', 'then')", (digest("default"),))
    db.execute(
        """INSERT INTO graph_documents VALUES (7, 3, ?, 'a1b2', 'v:rules', NULL, '["a1b2:0", "a1b2:1"]', 2, 1, 1, 1)""",
        (digest("default", "a1b2"),),
    )
    # The hash is that of the key: the first eight bytes of a BLAKE2b digest of that length.
    hashed = int.from_bytes(hashlib.blake2b(b"wallet", digest_size=8).digest(), "big", signed=True)
    db.execute("INSERT INTO graph_names VALUES (9, 3, ?, 'wallet', 'Wallet', 'Product')", (hashed,))
    db.execute("INSERT INTO graph_mentions VALUES (7, 0, 9, 1, 4, 10, 0, 20, 1)")
    db.execute("INSERT INTO graph_relations VALUES (7, 0, 1, 0, 20, 'wallet', 'signs', 'phrase', 'pattern')")
    db.execute("INSERT INTO graph_aliases VALUES (7, 0, 0, 1, 2, 'w', 'wallet', 'abbreviation')")
    db.execute(
        "INSERT INTO graph_pins VALUES (3, ?, 'wallet', 'purse', 0, 'not that one', 1772366400000000)",
        (digest("purse", "wallet"),),
    )
    db.execute("INSERT INTO graph_summaries VALUES (3, ?, 'abc', 'of wallets')", (digest("abc"),))
