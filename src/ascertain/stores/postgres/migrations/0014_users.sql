-- People who sign in by name and password; secret is a slow, salted hash with its parameters, user_key a digest of the name.

CREATE TABLE users (
    user_key bytea NOT NULL PRIMARY KEY, name text NOT NULL, tenant text NOT NULL, role text NOT NULL, secret text NOT NULL,
    changed bigint NOT NULL);
