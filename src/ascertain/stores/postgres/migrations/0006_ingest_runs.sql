-- Runs of ingest in the order in which they were first recorded. "run_key" is the digest of tenant and id, which may be longer than an
-- index takes; "owner" is the token of the process that stands for a running one (see presence.py).
CREATE TABLE ingest_runs (
    number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    run_key bytea NOT NULL UNIQUE,
    tenant text COLLATE "C" NOT NULL,
    id text NOT NULL,
    engine text NOT NULL,
    what text NOT NULL,
    started_at text NOT NULL,
    started bigint NOT NULL,
    updated_at text NOT NULL,
    state text COLLATE "C" NOT NULL CHECK (state IN ('running', 'finished', 'failed', 'interrupted')),
    owner bigint NOT NULL,
    bytes_done bigint NOT NULL,
    bytes_total bigint NOT NULL,
    chunks bigint NOT NULL,
    failures bigint NOT NULL,
    reason text NOT NULL
);
CREATE INDEX ingest_runs_of_tenant ON ingest_runs USING hash (tenant);
