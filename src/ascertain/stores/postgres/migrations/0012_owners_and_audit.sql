-- Whose things are, within a tenant, and who did what; see stores/service_ports.
--
-- owner is the user that made something, empty where no key did; api_keys.username is whose things a key opens, NULL for those made before.
-- about_key is a digest of tenant and what a stream is about: a conversation or a run. audit_entries.tenant_key is a digest, too.

ALTER TABLE api_keys ADD COLUMN username text;
ALTER TABLE api_keys ADD COLUMN role text;
ALTER TABLE api_keys ADD COLUMN expires bigint;
ALTER TABLE conversation_labels ADD COLUMN owner text NOT NULL DEFAULT '';
ALTER TABLE conversation_labels ADD COLUMN is_shared integer NOT NULL DEFAULT 0;
ALTER TABLE given_answers ADD COLUMN owner text NOT NULL DEFAULT '';
ALTER TABLE files ADD COLUMN owner text NOT NULL DEFAULT '';
ALTER TABLE event_logs ADD COLUMN owner text NOT NULL DEFAULT '';
ALTER TABLE event_logs ADD COLUMN about_key bytea;
CREATE INDEX event_logs_about ON event_logs (about_key) WHERE about_key IS NOT NULL;
CREATE TABLE audit_entries (
    number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    moment bigint NOT NULL, tenant_key bytea NOT NULL, tenant text NOT NULL, key_id text NOT NULL, username text NOT NULL,
    address text NOT NULL, action text NOT NULL, subject text NOT NULL, outcome text NOT NULL);
CREATE INDEX audit_entries_of_tenant ON audit_entries (tenant_key, number);
