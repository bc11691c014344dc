-- What people call their conversations, and which they pinned; label_key is a digest of tenant and conversation.

CREATE TABLE conversation_labels (
    label_key bytea NOT NULL PRIMARY KEY, tenant text COLLATE "C" NOT NULL, conversation text NOT NULL,
    name text NOT NULL, is_pinned integer NOT NULL);
CREATE INDEX labels_of_tenant ON conversation_labels USING hash (tenant);
