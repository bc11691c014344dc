-- Sources that somebody often asks together, under a name; sources is a JSON array, notebook_key a digest of tenant and id.

CREATE TABLE notebooks (
    notebook_key bytea NOT NULL PRIMARY KEY, tenant_key bytea NOT NULL, id text NOT NULL, name text NOT NULL, sources text NOT NULL,
    owner text NOT NULL, is_shared integer NOT NULL, changed bigint NOT NULL, tenant text NOT NULL);
CREATE INDEX notebooks_of_tenant ON notebooks USING hash (tenant_key);
