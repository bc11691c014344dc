-- Whose things are, within a tenant, and who did what; see stores/service_ports.
--
-- owner is the user that made something, empty where no key did; api_keys.username is whose things a key opens, NULL for those made before.
-- about_key is a digest of tenant and what a stream is about: a conversation or a run. audit_entries.tenant_key is a digest, too.

ALTER TABLE api_keys ADD COLUMN username TEXT;
ALTER TABLE api_keys ADD COLUMN role TEXT;
ALTER TABLE api_keys ADD COLUMN expires INTEGER;
ALTER TABLE conversation_labels ADD COLUMN owner TEXT NOT NULL DEFAULT '';
ALTER TABLE conversation_labels ADD COLUMN is_shared INTEGER NOT NULL DEFAULT 0;
ALTER TABLE given_answers ADD COLUMN owner TEXT NOT NULL DEFAULT '';
ALTER TABLE files ADD COLUMN owner TEXT NOT NULL DEFAULT '';
ALTER TABLE event_logs ADD COLUMN owner TEXT NOT NULL DEFAULT '';
ALTER TABLE event_logs ADD COLUMN about_key BLOB;
CREATE INDEX event_logs_about ON event_logs (about_key) WHERE about_key IS NOT NULL;
CREATE TABLE audit_entries (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    moment INTEGER NOT NULL, tenant_key BLOB NOT NULL, tenant TEXT NOT NULL, key_id TEXT NOT NULL, username TEXT NOT NULL,
    address TEXT NOT NULL, action TEXT NOT NULL, subject TEXT NOT NULL, outcome TEXT NOT NULL);
CREATE INDEX audit_entries_of_tenant ON audit_entries (tenant_key, number);
