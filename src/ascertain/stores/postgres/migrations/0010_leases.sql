-- Who works on something that only one may work on; lease_key is a digest, owner the token of the process.

CREATE TABLE leases (lease_key bytea NOT NULL PRIMARY KEY, owner bigint NOT NULL);
