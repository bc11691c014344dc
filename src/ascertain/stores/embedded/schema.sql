-- The record of a home, of schema SCHEMA in schema.py: raise that number with every change of this file.

-- Documents with their text and tags, and the identity that ties the derived indexes to this record.
--
-- type to domains are the document's profile, NULL for one that was added without. version is the number that fingerprints are
-- added up of (see stores.encoding).

CREATE TABLE home (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE documents (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE, tenant TEXT NOT NULL, source TEXT NOT NULL, title TEXT NOT NULL,
    kind TEXT NOT NULL, url TEXT, author TEXT, published_at TEXT, published INTEGER, language TEXT,
    tags TEXT NOT NULL, profile TEXT NOT NULL, conversation_id TEXT,
    state TEXT NOT NULL, reason TEXT NOT NULL, content_hash TEXT NOT NULL, characters INTEGER NOT NULL,
    chunks INTEGER NOT NULL, first_row INTEGER, added_at TEXT NOT NULL, duplicate_of TEXT, signature BLOB,
    completeness TEXT, type TEXT, type_confidence REAL, technical_density REAL, domains TEXT, version INTEGER);
CREATE INDEX documents_by_source ON documents (tenant, source);
CREATE INDEX documents_by_date ON documents (tenant, published);
CREATE INDEX documents_by_conversation ON documents (conversation_id) WHERE conversation_id IS NOT NULL;
CREATE INDEX documents_by_original ON documents (duplicate_of) WHERE duplicate_of IS NOT NULL;
CREATE INDEX documents_by_type ON documents (tenant, type, first_row, technical_density, domains)
    WHERE type IS NOT NULL;
CREATE INDEX documents_by_version ON documents (tenant, conversation_id, version, first_row, chunks)
    WHERE chunks > 0;
CREATE TABLE texts (
    document INTEGER PRIMARY KEY REFERENCES documents (number) ON DELETE CASCADE,
    text TEXT NOT NULL, blocks TEXT NOT NULL);
CREATE TABLE document_tags (
    document INTEGER NOT NULL REFERENCES documents (number) ON DELETE CASCADE,
    tag TEXT NOT NULL, PRIMARY KEY (document, tag)) WITHOUT ROWID;
CREATE INDEX documents_by_tag ON document_tags (tag);
INSERT INTO home VALUES ('identity', lower(hex(randomblob(16))));

-- Chunks, and the log of what was added and removed.
--
-- chunks.row is never used twice (AUTOINCREMENT) and a row's content never changes, so an index that has
-- applied everything up to a row only needs the later rows and the removals. The searchable chunks of a
-- document have the rows first_row .. first_row + chunks - 1. topics is what a chunk is about, NULL where nothing could be told.

CREATE TABLE chunks (
    row INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    document INTEGER NOT NULL REFERENCES documents (number) ON DELETE CASCADE,
    position INTEGER NOT NULL, span_start INTEGER NOT NULL, span_end INTEGER NOT NULL,
    text TEXT NOT NULL, heading TEXT NOT NULL, place TEXT, parent_id TEXT, is_parent INTEGER NOT NULL,
    overlap_previous INTEGER NOT NULL, overlap_next INTEGER NOT NULL, topics TEXT);
CREATE INDEX chunks_of_document ON chunks (document, position);
CREATE TABLE chunk_topics (
    topic TEXT NOT NULL,
    row INTEGER NOT NULL,
    document INTEGER NOT NULL REFERENCES documents (number) ON DELETE CASCADE,
    PRIMARY KEY (topic, row)) WITHOUT ROWID;
CREATE INDEX topics_of_document ON chunk_topics (document);
CREATE TABLE changes (
    sequence INTEGER PRIMARY KEY AUTOINCREMENT,
    kind TEXT NOT NULL CHECK (kind IN ('add', 'remove', 'embed')),
    first_row INTEGER NOT NULL, last_row INTEGER NOT NULL);

-- Vectors as float16, one for each searchable chunk and generation (an embedding model and its dimension).

CREATE TABLE generations (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    model TEXT NOT NULL, dimension INTEGER NOT NULL CHECK (dimension > 0),
    state TEXT NOT NULL CHECK (state IN ('active', 'building', 'retired')), created_at TEXT NOT NULL);
CREATE UNIQUE INDEX one_active_generation ON generations (state) WHERE state = 'active';
CREATE UNIQUE INDEX one_building_generation ON generations (state) WHERE state = 'building';
CREATE TABLE vectors (
    row INTEGER NOT NULL REFERENCES chunks (row) ON DELETE CASCADE,
    generation INTEGER NOT NULL REFERENCES generations (number),
    vector BLOB NOT NULL, PRIMARY KEY (row, generation)) WITHOUT ROWID;

-- Bands of MinHash signatures, for finding near-duplicates without comparing every pair.

CREATE TABLE signature_bands (
    band INTEGER NOT NULL,
    document INTEGER NOT NULL REFERENCES documents (number) ON DELETE CASCADE,
    PRIMARY KEY (band, document)) WITHOUT ROWID;
CREATE INDEX signature_bands_of_document ON signature_bands (document);

-- Turns of conversations, in the order in which they were begun.
--
-- owner is the token of the process that works on a running turn. answer is the whole answer, compressed JSON.

CREATE TABLE turns (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    tenant TEXT NOT NULL, conversation TEXT NOT NULL, turn TEXT NOT NULL,
    question TEXT NOT NULL, asked_at TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('running', 'finished', 'failed', 'interrupted')),
    reason TEXT NOT NULL DEFAULT '', owner TEXT NOT NULL,
    standalone TEXT, text TEXT, type TEXT, finished_at TEXT, answer BLOB,
    UNIQUE (tenant, conversation, turn));
CREATE INDEX turns_in_order ON turns (tenant, conversation, number);
CREATE INDEX turns_with_answers ON turns (tenant, conversation, number) WHERE answer IS NOT NULL;

-- What people call their conversations, and which they pinned; label_key is a digest of tenant and conversation.

CREATE TABLE conversation_labels (
    label_key BLOB NOT NULL PRIMARY KEY, tenant TEXT NOT NULL, conversation TEXT NOT NULL,
    name TEXT NOT NULL, is_pinned INTEGER NOT NULL, owner TEXT NOT NULL DEFAULT '', is_shared INTEGER NOT NULL DEFAULT 0) WITHOUT ROWID;
CREATE INDEX labels_of_tenant ON conversation_labels (tenant);

-- Runs of ingest. owner is the token of the process that stands for a running one; started is for ordering.

CREATE TABLE ingest_runs (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    tenant TEXT NOT NULL, id TEXT NOT NULL, engine TEXT NOT NULL, what TEXT NOT NULL,
    started_at TEXT NOT NULL, started INTEGER NOT NULL, updated_at TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('running', 'finished', 'failed', 'interrupted')), owner TEXT NOT NULL,
    bytes_done INTEGER NOT NULL, bytes_total INTEGER NOT NULL, chunks INTEGER NOT NULL, failures INTEGER NOT NULL,
    reason TEXT NOT NULL, UNIQUE (tenant, id));
CREATE INDEX ingest_runs_in_order ON ingest_runs (tenant, started, number);

-- What a service keeps: keys, jobs, files, feedback, answers, rate limits, events and fetches.
--
-- Columns that end in "_key" are digests. Times are microseconds since 1970. jobs.owner is the token of the process that works on a
-- running job, files.content the name of a file in uploads/, files.id_start the beginning of the id. owner of the other tables is the user
-- that made something, empty where no key did; api_keys.username is whose things a key opens. event_logs.about_key is a digest of tenant
-- and what a stream is about: a conversation or a run.

CREATE TABLE api_keys (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    id_key BLOB NOT NULL UNIQUE, digest BLOB NOT NULL UNIQUE, id TEXT NOT NULL, name TEXT NOT NULL, tenant TEXT NOT NULL,
    hint TEXT NOT NULL, created INTEGER NOT NULL, requests_per_minute INTEGER NOT NULL, username TEXT NOT NULL,
    role TEXT NOT NULL, expires INTEGER, revoked INTEGER, last_used INTEGER);
CREATE TABLE jobs (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    job_key BLOB NOT NULL UNIQUE, id_key BLOB NOT NULL, tenant_key BLOB NOT NULL,
    id TEXT NOT NULL, kind TEXT NOT NULL, what TEXT NOT NULL, created INTEGER NOT NULL, updated INTEGER NOT NULL,
    tenant TEXT NOT NULL, state TEXT NOT NULL CHECK (state IN ('queued', 'running', 'finished', 'failed', 'cancelled')),
    owner TEXT, work TEXT NOT NULL, report TEXT NOT NULL, done INTEGER NOT NULL, total INTEGER NOT NULL,
    reason TEXT NOT NULL, attempts INTEGER NOT NULL);
CREATE INDEX jobs_in_order ON jobs (tenant_key, created, number);
CREATE INDEX open_jobs ON jobs (created, number) WHERE state IN ('queued', 'running');
CREATE INDEX running_jobs ON jobs (id_key, owner) WHERE state = 'running';
CREATE TABLE files (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    file_key BLOB NOT NULL UNIQUE, tenant_key BLOB NOT NULL, id TEXT NOT NULL, name TEXT NOT NULL, size INTEGER NOT NULL,
    sha256 TEXT NOT NULL, created INTEGER NOT NULL, tenant TEXT NOT NULL, id_start TEXT NOT NULL,
    content TEXT NOT NULL UNIQUE, owner TEXT NOT NULL DEFAULT '');
CREATE INDEX files_by_id ON files (tenant_key, id_start);
CREATE TABLE given_answers (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    answer_key BLOB NOT NULL UNIQUE, tenant_key BLOB NOT NULL, id TEXT NOT NULL, answered INTEGER NOT NULL,
    question TEXT NOT NULL, answer_type TEXT NOT NULL, strategy TEXT NOT NULL, confidence INTEGER NOT NULL,
    question_kind TEXT NOT NULL, features TEXT NOT NULL, conversation TEXT, tenant TEXT NOT NULL,
    thumb TEXT CHECK (thumb IN ('up', 'down')), comment TEXT NOT NULL, judged INTEGER, owner TEXT NOT NULL DEFAULT '');
CREATE INDEX unjudged_answers ON given_answers (tenant_key, number) WHERE thumb IS NULL;
CREATE INDEX judged_answers ON given_answers (tenant_key, judged, number) WHERE thumb IS NOT NULL;
CREATE TABLE cached_answers (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    answer_key BLOB NOT NULL UNIQUE, tenant_key BLOB NOT NULL,
    corpus TEXT NOT NULL, stored INTEGER NOT NULL, answer BLOB NOT NULL);
CREATE INDEX cached_answers_of_tenant ON cached_answers (tenant_key, stored, number);
CREATE TABLE rate_buckets (
    name_key BLOB PRIMARY KEY, tokens REAL NOT NULL, moment INTEGER NOT NULL, full_at INTEGER NOT NULL) WITHOUT ROWID;
CREATE INDEX rate_buckets_by_end ON rate_buckets (full_at);
CREATE TABLE event_logs (
    number INTEGER PRIMARY KEY AUTOINCREMENT, log_key BLOB NOT NULL UNIQUE, touched INTEGER NOT NULL,
    owner TEXT NOT NULL DEFAULT '', about_key BLOB);
CREATE INDEX event_logs_by_age ON event_logs (touched);
CREATE INDEX event_logs_about ON event_logs (about_key) WHERE about_key IS NOT NULL;
CREATE TABLE events (
    log INTEGER NOT NULL REFERENCES event_logs (number) ON DELETE CASCADE, number INTEGER NOT NULL,
    kind TEXT NOT NULL, data TEXT NOT NULL, is_last INTEGER NOT NULL, PRIMARY KEY (log, number)) WITHOUT ROWID;
CREATE TABLE fetch_states (
    url_key BLOB PRIMARY KEY, url TEXT NOT NULL, fetched INTEGER NOT NULL, etag TEXT, last_modified TEXT) WITHOUT ROWID;

-- Who did what; tenant_key is a digest.

CREATE TABLE audit_entries (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    moment INTEGER NOT NULL, tenant_key BLOB NOT NULL, tenant TEXT NOT NULL, key_id TEXT NOT NULL, username TEXT NOT NULL,
    address TEXT NOT NULL, action TEXT NOT NULL, subject TEXT NOT NULL, outcome TEXT NOT NULL);
CREATE INDEX audit_entries_of_tenant ON audit_entries (tenant_key, number);

-- Who works on something that only one may work on; lease_key is a digest, owner the token of the process.

CREATE TABLE leases (lease_key BLOB NOT NULL PRIMARY KEY, owner TEXT NOT NULL) WITHOUT ROWID;

-- Sources that somebody often asks together, under a name; sources is a JSON array, notebook_key a digest of tenant and id.

CREATE TABLE notebooks (
    notebook_key BLOB NOT NULL PRIMARY KEY, tenant_key BLOB NOT NULL, id TEXT NOT NULL, name TEXT NOT NULL, sources TEXT NOT NULL,
    owner TEXT NOT NULL, is_shared INTEGER NOT NULL, changed INTEGER NOT NULL, tenant TEXT NOT NULL) WITHOUT ROWID;
CREATE INDEX notebooks_of_tenant ON notebooks (tenant_key);

-- People who sign in by name and password; secret is a slow, salted hash with its parameters, user_key a digest of the name.

CREATE TABLE users (
    user_key BLOB NOT NULL PRIMARY KEY, name TEXT NOT NULL, tenant TEXT NOT NULL, role TEXT NOT NULL, secret TEXT NOT NULL,
    changed INTEGER NOT NULL) WITHOUT ROWID;

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
