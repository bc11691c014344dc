-- Who works on something that only one may work on; lease_key is a digest, owner the token of the process.

CREATE TABLE leases (lease_key BLOB NOT NULL PRIMARY KEY, owner TEXT NOT NULL) WITHOUT ROWID;
