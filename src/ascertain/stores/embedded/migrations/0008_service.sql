-- What a service keeps: keys, jobs, files, feedback, answers, rate limits, events and fetches.
--
-- Columns that end in "_key" are digests. Times are microseconds since 1970. jobs.owner is the token of the process that works on a
-- running job, files.content the name of a file in uploads/, files.id_start the beginning of the id.

CREATE TABLE api_keys (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    id_key BLOB NOT NULL UNIQUE, digest BLOB NOT NULL UNIQUE, id TEXT NOT NULL, name TEXT NOT NULL, tenant TEXT NOT NULL,
    hint TEXT NOT NULL, created INTEGER NOT NULL, requests_per_minute INTEGER NOT NULL, is_admin INTEGER NOT NULL,
    revoked INTEGER, last_used INTEGER);
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
    content TEXT NOT NULL UNIQUE);
CREATE INDEX files_by_id ON files (tenant_key, id_start);
CREATE TABLE given_answers (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    answer_key BLOB NOT NULL UNIQUE, tenant_key BLOB NOT NULL, id TEXT NOT NULL, answered INTEGER NOT NULL,
    question TEXT NOT NULL, answer_type TEXT NOT NULL, strategy TEXT NOT NULL, confidence INTEGER NOT NULL,
    question_kind TEXT NOT NULL, features TEXT NOT NULL, conversation TEXT, tenant TEXT NOT NULL,
    thumb TEXT CHECK (thumb IN ('up', 'down')), comment TEXT NOT NULL, judged INTEGER);
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
    number INTEGER PRIMARY KEY AUTOINCREMENT, log_key BLOB NOT NULL UNIQUE, touched INTEGER NOT NULL);
CREATE INDEX event_logs_by_age ON event_logs (touched);
CREATE TABLE events (
    log INTEGER NOT NULL REFERENCES event_logs (number) ON DELETE CASCADE, number INTEGER NOT NULL,
    kind TEXT NOT NULL, data TEXT NOT NULL, is_last INTEGER NOT NULL, PRIMARY KEY (log, number)) WITHOUT ROWID;
CREATE TABLE fetch_states (
    url_key BLOB PRIMARY KEY, url TEXT NOT NULL, fetched INTEGER NOT NULL, etag TEXT, last_modified TEXT) WITHOUT ROWID;
