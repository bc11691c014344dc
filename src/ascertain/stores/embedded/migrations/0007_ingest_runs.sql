-- Runs of ingest. owner is the token of the process that stands for a running one; started is for ordering.

CREATE TABLE ingest_runs (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    tenant TEXT NOT NULL, id TEXT NOT NULL, engine TEXT NOT NULL, what TEXT NOT NULL,
    started_at TEXT NOT NULL, started INTEGER NOT NULL, updated_at TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('running', 'finished', 'failed', 'interrupted')), owner TEXT NOT NULL,
    bytes_done INTEGER NOT NULL, bytes_total INTEGER NOT NULL, chunks INTEGER NOT NULL, failures INTEGER NOT NULL,
    reason TEXT NOT NULL, UNIQUE (tenant, id));
CREATE INDEX ingest_runs_in_order ON ingest_runs (tenant, started, number);
