-- Sources that somebody often asks together, under a name; sources is a JSON array, notebook_key a digest of tenant and id.

CREATE TABLE notebooks (
    notebook_key BLOB NOT NULL PRIMARY KEY, tenant_key BLOB NOT NULL, id TEXT NOT NULL, name TEXT NOT NULL, sources TEXT NOT NULL,
    owner TEXT NOT NULL, is_shared INTEGER NOT NULL, changed INTEGER NOT NULL, tenant TEXT NOT NULL) WITHOUT ROWID;
CREATE INDEX notebooks_of_tenant ON notebooks (tenant_key);
