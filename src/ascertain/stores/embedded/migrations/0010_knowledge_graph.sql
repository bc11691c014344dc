-- What documents say: names, mentions, relations, aliases, and what was decided and written about them.
--
-- Columns that end in _key are digests. graph_documents.chunk_ids is a JSON array of all chunks in order, place a place in it, and
-- position orders what one document says. Nothing refers to its document by a foreign key: a million mentions would be a million look-ups, and
-- whoever removes a document removes what it said.

CREATE TABLE graph_tenants (
    number INTEGER PRIMARY KEY, tenant_key BLOB NOT NULL UNIQUE, tenant TEXT NOT NULL, generation TEXT NOT NULL);
CREATE TABLE graph_documents (
    number INTEGER PRIMARY KEY, tenant INTEGER NOT NULL, id_key BLOB NOT NULL UNIQUE, id TEXT NOT NULL, version TEXT NOT NULL,
    conversation TEXT, chunk_ids TEXT NOT NULL, chunks INTEGER NOT NULL, mentions INTEGER NOT NULL, relations INTEGER NOT NULL,
    aliases INTEGER NOT NULL);
CREATE INDEX graph_documents_of_tenant ON graph_documents (tenant);
CREATE TABLE graph_names (
    number INTEGER PRIMARY KEY, tenant INTEGER NOT NULL, hash INTEGER NOT NULL, key TEXT NOT NULL, written TEXT NOT NULL,
    kind TEXT NOT NULL);
CREATE INDEX graph_names_by_key ON graph_names (tenant, hash);
CREATE TABLE graph_mentions (
    document INTEGER NOT NULL, position INTEGER NOT NULL, name INTEGER NOT NULL, place INTEGER NOT NULL,
    span_start INTEGER NOT NULL, span_end INTEGER NOT NULL, sentence_start INTEGER NOT NULL, sentence_end INTEGER NOT NULL,
    role INTEGER NOT NULL, PRIMARY KEY (document, position)) WITHOUT ROWID;
CREATE INDEX graph_mentions_by_name ON graph_mentions (name, document);
CREATE TABLE graph_relations (
    document INTEGER NOT NULL, position INTEGER NOT NULL, place INTEGER NOT NULL, sentence_start INTEGER NOT NULL,
    sentence_end INTEGER NOT NULL, subject TEXT NOT NULL, predicate TEXT NOT NULL, object TEXT NOT NULL, origin TEXT NOT NULL,
    PRIMARY KEY (document, position)) WITHOUT ROWID;
CREATE TABLE graph_aliases (
    document INTEGER NOT NULL, position INTEGER NOT NULL, place INTEGER NOT NULL, span_start INTEGER NOT NULL,
    span_end INTEGER NOT NULL, alias TEXT NOT NULL, key TEXT NOT NULL, reason TEXT NOT NULL,
    PRIMARY KEY (document, position)) WITHOUT ROWID;
CREATE TABLE graph_pins (
    tenant INTEGER NOT NULL, pair_key BLOB NOT NULL, one TEXT NOT NULL, other TEXT NOT NULL, is_same INTEGER NOT NULL,
    reason TEXT NOT NULL, made INTEGER NOT NULL, PRIMARY KEY (tenant, pair_key)) WITHOUT ROWID;
CREATE TABLE graph_summaries (
    tenant INTEGER NOT NULL, digest_key BLOB NOT NULL, digest TEXT NOT NULL, text TEXT NOT NULL,
    PRIMARY KEY (tenant, digest_key)) WITHOUT ROWID;
