-- A number for each version of a document, which fingerprints are added up of (see stores.fingerprints).

ALTER TABLE documents ADD COLUMN version INTEGER;
UPDATE documents SET version = version_number(id, content_hash);
CREATE INDEX documents_by_version ON documents (tenant, conversation_id, version, first_row, chunks)
    WHERE chunks > 0;
