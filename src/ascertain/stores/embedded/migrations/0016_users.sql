-- People who sign in by name and password; secret is a slow, salted hash with its parameters, user_key a digest of the name.

CREATE TABLE users (
    user_key BLOB NOT NULL PRIMARY KEY, name TEXT NOT NULL, tenant TEXT NOT NULL, role TEXT NOT NULL, secret TEXT NOT NULL,
    changed INTEGER NOT NULL) WITHOUT ROWID;
