"""A knowledge base on PostgreSQL as each version of the schema held it, written by SQL alone.

``fill(db, version)`` writes what that version had a place for. The expected values below are what must be there after any upgrade.
"""

import hashlib

DOCUMENTS = {
    "a1b2": ("/notes/backup.md", "Backups", ("Keep the recovery phrase on paper.", "Naïve copies are lost.")),
    "c3d4": ("/notes/wallets.md", "Wallets", ("A hardware wallet signs alone.", "GPT-4 is no wallet.", "東京都庁")),
}
"""Source, title and the texts of the searchable chunks, by document id."""
FAILED = "e5f6"
MODEL, DIMENSION = "model-a", 8
KEY = b"k" * 32
SIGNATURE = bytes(range(256)) * 4


def fill(db, version):
    """Write everything that a schema of ``version`` steps holds, into the schema of the search path."""
    for step in (_documents, _vectors, _bands, _words, _turns, _runs, _service, _graph)[:version]:
        step(db)


def chunk_ids(document):
    return [f"{document}:{place}" for place in range(len(DOCUMENTS[document][2]))]


def vector(row):
    """The vector of the chunk of this row: an axis of its own."""
    axis = (3 * (row >> 20) + row) % DIMENSION
    return [1.0 if place == axis else 0.0 for place in range(DIMENSION)]


def rows():
    """Row, id, document number, position and text of every searchable chunk."""
    for number, (document, (_, _, texts)) in enumerate(DOCUMENTS.items(), 1):
        for place, text in enumerate(texts):
            yield (number << 20) + place, f"{document}:{place}", number, place, text


def _documents(db):
    for number, (document, (source, title, texts)) in enumerate(DOCUMENTS.items(), 1):
        db.execute(
            """INSERT INTO documents (id, tenant, source, title, kind, published_at, published, tags, tag_names, profile,
                   state, reason, content_hash, characters, chunks, first_row, added_at, signature,
                   type, type_confidence, technical_density, domains, domain_names)
               VALUES (%s, 'default', %s, %s, 'prose', '2025-03-01T00:00:00+00:00', 1740787200000000, '["x"]', '{x}', 'general',
                   'indexed', '', %s, %s, %s, %s, '2025-03-02T00:00:00+00:00', %s, 'faq', 0.5, 0.25, '[]', '{}')""",
            (
                document,
                source,
                title,
                f"hash of {document}",
                len("\n".join(texts)),
                len(texts),
                number << 20,
                SIGNATURE,
            ),
        )
        db.execute("INSERT INTO texts VALUES (%s, %s, '[]')", (number, "\n".join(texts)))
    db.execute(
        """INSERT INTO documents (id, tenant, source, title, kind, tags, tag_names, profile, state, reason, content_hash,
               characters, chunks, added_at)
           VALUES (%s, 'default', '/notes/scan.pdf', '', 'prose', '[]', '{}', 'general', 'failed', 'no text in it', '', 0, 0,
               '2025-03-02T00:00:00+00:00')""",
        (FAILED,),
    )
    insertion = """INSERT INTO chunks ("row", id, document, position, span_start, span_end, text, heading, parent_id, is_parent,
                       overlap_previous, overlap_next) VALUES (%s, %s, %s, %s, 0, %s, %s, %s, %s, %s, 0, 0)"""
    for row, name, number, place, text in rows():
        db.execute(insertion, (row, name, number, place, len(text), text, "A heading", "a1b2:whole", False))
    whole = "\n".join(DOCUMENTS["a1b2"][2])
    db.execute(insertion, ((1 << 20) + 100, "a1b2:whole", 1, 9, len(whole), whole, "", None, True))


def _vectors(db):
    db.execute("INSERT INTO generations (model, dimension, state) VALUES (%s, %s, 'active')", (MODEL, DIMENSION))
    db.execute(
        """CREATE TABLE vectors_1 (document bigint NOT NULL, "row" bigint NOT NULL, vector halfvec(8) STORAGE PLAIN NOT NULL,
               PRIMARY KEY (document, "row"))"""
    )
    for row, _, number, _, _ in rows():
        db.execute("INSERT INTO vectors_1 VALUES (%s, %s, %s::real[]::halfvec)", (number, row, vector(row)))


def _bands(db):
    db.execute(
        "INSERT INTO signature_bands SELECT band, number FROM documents, generate_series(1, 3) band WHERE first_row > 0"
    )


def _words(db):
    """The words of a writer of that version, here one word for each letter group, which is what the analysis of these gives."""
    for row, _, _, _, text in rows():
        words = text.lower().replace(".", "").replace("-", " ").replace("ï", "i").split()
        stems = [_STEMS.get(word, word) for word in words]
        if not text.isascii() and "東" in text:
            stems = ["東京", "京都", "都庁"]
        lexemes = " ".join(f"'{stem}':{place} '{stem}⁺'" for place, stem in enumerate(stems, 1))
        db.execute(
            """UPDATE chunks SET title_words = '''titl'':1', heading_words = '''a'':1 ''head'':2', text_words = %s::tsvector,
                   title_length = 1, length = %s WHERE "row" = %s""",
            (lexemes, len(stems) + 2, row),
        )
    db.execute("UPDATE documents SET title_words = '''titl'':1', text_words = '''word'':1' WHERE first_row > 0")


_STEMS = {
    "recovery": "recoveri",
    "phrase": "phrase",
    "copies": "copi",
    "naive": "naiv",
    "hardware": "hardwar",
    "signs": "sign",
    "alone": "alon",
}


def _digest(*names):
    return hashlib.sha256(b"".join(len(name).to_bytes(8, "big") + name.encode() for name in names)).digest()


def _turns(db):
    for turn, state, text in (("1", "finished", "On paper."), ("2", "running", None)):
        db.execute(
            """INSERT INTO turns (conversation_key, turn_key, tenant, conversation, turn, question, asked_at, state, owner,
                   text, type, finished_at)
               VALUES (%s, %s, 'default', 'c', %s, 'where?', '2026-03-01T12:00:00+00:00', %s, 4711, %s, 'summary',
                   '2026-03-01T12:00:01+00:00')""",
            (_digest("default", "c"), _digest(turn), turn, state, text),
        )


def _runs(db):
    db.execute(
        """INSERT INTO ingest_runs (run_key, tenant, id, engine, what, started_at, started, updated_at, state, owner, bytes_done,
               bytes_total, chunks, failures, reason)
           VALUES (%s, 'default', 'r', 'local', '/notes', '2026-03-01T12:00:00+00:00', 1772366400000000,
               '2026-03-01T12:00:00+00:00', 'finished', 0, 10, 10, 5, 1, '')""",
        (_digest("default", "r"),),
    )


def _service(db):
    db.execute(
        """INSERT INTO api_keys (id_key, digest, id, name, tenant, hint, created, requests_per_minute, is_admin)
           VALUES (%s, %s, 'k', 'laptop', 'default', 'asc_12', 1772366400000000, 60, false)""",
        (_digest("k"), KEY),
    )
    db.execute(
        """INSERT INTO jobs (job_key, id_key, tenant_key, id, kind, what, created, updated, tenant, state, owner, work, report, done,
               total, reason, attempts)
           VALUES (%s, %s, %s, 'j', 'upload', 'a file', 1772366400000000, 1772366400000000, 'default', 'running', 4711, '{"a": 1}',
               '{}', 1, 2, '', 1)""",
        (_digest("default", "j"), _digest("j"), _digest("default")),
    )
    db.execute("INSERT INTO file_contents (file_key) VALUES (%s)", (_digest("default", "f"),))
    db.execute("INSERT INTO file_pieces VALUES (1, 0, 'wo'), (1, 1, 'rds')")
    db.execute(
        """INSERT INTO files (file_key, tenant_key, id_start, content, id, name, size, sha256, created, tenant)
           VALUES (%s, %s, 'f', 1, 'f', 'f.txt', 5, '', 1772366400000000, 'default')""",
        (_digest("default", "f"), _digest("default")),
    )


def _graph(db):
    tenant = db.execute(
        "INSERT INTO graph_tenants (tenant_key, tenant, generation) VALUES (%s, 'default', 'then') RETURNING number",
        (_digest("default"),),
    ).fetchone()[0]
    document = db.execute(
        """INSERT INTO graph_documents (tenant, id_key, id, version, chunk_ids, chunks, mentions, relations, aliases)
           VALUES (%s, %s, 'a1b2', 'v:rules', '["a1b2:0", "a1b2:1"]', 2, 1, 1, 1) RETURNING number""",
        (tenant, _digest("default", "a1b2")),
    ).fetchone()[0]
    # The hash is that of the key: the first eight bytes of a BLAKE2b digest of that length.
    hashed = int.from_bytes(hashlib.blake2b(b"wallet", digest_size=8).digest(), "big", signed=True)
    name = db.execute(
        "INSERT INTO graph_names (tenant, hash, key, written, kind) VALUES (%s, %s, 'wallet', 'Wallet', 'Product') RETURNING number",
        (tenant, hashed),
    ).fetchone()[0]
    db.execute("INSERT INTO graph_mentions VALUES (%s, 0, %s, 1, 4, 10, 0, 20, 1)", (document, name))
    db.execute(
        "INSERT INTO graph_relations VALUES (%s, 0, 1, 0, 20, 'wallet', 'signs', 'phrase', 'pattern')", (document,)
    )
    db.execute("INSERT INTO graph_aliases VALUES (%s, 0, 0, 1, 2, 'w', 'wallet', 'abbreviation')", (document,))
    db.execute(
        "INSERT INTO graph_pins VALUES (%s, %s, 'wallet', 'purse', false, 'not that one', 1772366400000000)",
        (tenant, _digest("purse", "wallet")),
    )
    db.execute("INSERT INTO graph_summaries VALUES (%s, %s, 'abc', 'of wallets')", (tenant, _digest("abc")))
