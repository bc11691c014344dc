-- What people call their conversations, and which they pinned; label_key is a digest of tenant and conversation.

CREATE TABLE conversation_labels (
    label_key BLOB NOT NULL PRIMARY KEY, tenant TEXT NOT NULL, conversation TEXT NOT NULL,
    name TEXT NOT NULL, is_pinned INTEGER NOT NULL) WITHOUT ROWID;
CREATE INDEX labels_of_tenant ON conversation_labels (tenant);
