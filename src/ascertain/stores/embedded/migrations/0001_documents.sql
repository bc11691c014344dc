-- Documents with their text and tags, and the identity that ties the derived indexes to this record.

CREATE TABLE home (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE documents (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE, tenant TEXT NOT NULL, source TEXT NOT NULL, title TEXT NOT NULL,
    kind TEXT NOT NULL, url TEXT, author TEXT, published_at TEXT, published INTEGER, language TEXT,
    tags TEXT NOT NULL, profile TEXT NOT NULL, conversation_id TEXT,
    state TEXT NOT NULL, reason TEXT NOT NULL, content_hash TEXT NOT NULL, characters INTEGER NOT NULL,
    chunks INTEGER NOT NULL, first_row INTEGER, added_at TEXT NOT NULL, duplicate_of TEXT, signature BLOB,
    completeness TEXT);
CREATE INDEX documents_by_source ON documents (tenant, source);
CREATE INDEX documents_by_date ON documents (tenant, published);
CREATE INDEX documents_by_conversation ON documents (conversation_id) WHERE conversation_id IS NOT NULL;
CREATE INDEX documents_by_original ON documents (duplicate_of) WHERE duplicate_of IS NOT NULL;
CREATE TABLE texts (
    document INTEGER PRIMARY KEY REFERENCES documents (number) ON DELETE CASCADE,
    text TEXT NOT NULL, blocks TEXT NOT NULL);
CREATE TABLE document_tags (
    document INTEGER NOT NULL REFERENCES documents (number) ON DELETE CASCADE,
    tag TEXT NOT NULL, PRIMARY KEY (document, tag)) WITHOUT ROWID;
CREATE INDEX documents_by_tag ON document_tags (tag);
INSERT INTO home VALUES ('identity', lower(hex(randomblob(16))));
