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
