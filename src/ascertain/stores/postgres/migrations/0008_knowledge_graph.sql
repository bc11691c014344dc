-- What documents say: names, mentions, relations, aliases, and what was decided and written about them; see stores/graph_tables. Columns that
-- end in _key are digests. "chunk_ids" is a JSON array of all chunks of a document in order, "place" a place in it, and "position" orders what
-- one document says. Nothing refers to its document by a foreign key: a million mentions would be a million look-ups, and whoever removes a
-- document removes what it said. Numbers are of four bytes, so that rows of a table of integers all are of one length.
CREATE TABLE graph_tenants (
    number integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    tenant_key bytea NOT NULL UNIQUE,
    tenant text NOT NULL,
    generation text NOT NULL
) WITH (fillfactor = 50);

CREATE TABLE graph_documents (
    number integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    tenant integer NOT NULL,
    id_key bytea NOT NULL UNIQUE,
    id text NOT NULL,
    version text NOT NULL,
    conversation text,
    chunk_ids text NOT NULL,
    chunks integer NOT NULL,
    mentions integer NOT NULL,
    relations integer NOT NULL,
    aliases integer NOT NULL
);
CREATE INDEX graph_documents_of_tenant ON graph_documents (tenant);

-- "hash" is a number made of the key, by which names are found however long they are.
CREATE TABLE graph_names (
    number integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    tenant integer NOT NULL,
    hash bigint NOT NULL,
    key text NOT NULL,
    written text NOT NULL,
    kind text NOT NULL
);
CREATE INDEX graph_names_by_key ON graph_names (tenant, hash);

CREATE TABLE graph_mentions (
    document integer NOT NULL,
    position integer NOT NULL,
    name integer NOT NULL,
    place integer NOT NULL,
    span_start integer NOT NULL,
    span_end integer NOT NULL,
    sentence_start integer NOT NULL,
    sentence_end integer NOT NULL,
    role integer NOT NULL,
    PRIMARY KEY (document, position)
);
CREATE INDEX graph_mentions_by_name ON graph_mentions (name, document);

CREATE TABLE graph_relations (
    document integer NOT NULL,
    position integer NOT NULL,
    place integer NOT NULL,
    sentence_start integer NOT NULL,
    sentence_end integer NOT NULL,
    subject text NOT NULL,
    predicate text NOT NULL,
    object text NOT NULL,
    origin text NOT NULL,
    PRIMARY KEY (document, position)
);

CREATE TABLE graph_aliases (
    document integer NOT NULL,
    position integer NOT NULL,
    place integer NOT NULL,
    span_start integer NOT NULL,
    span_end integer NOT NULL,
    alias text NOT NULL,
    key text NOT NULL,
    reason text NOT NULL,
    PRIMARY KEY (document, position)
);

CREATE TABLE graph_pins (
    tenant integer NOT NULL,
    pair_key bytea NOT NULL,
    one text NOT NULL,
    other text NOT NULL,
    is_same boolean NOT NULL,
    reason text NOT NULL,
    made bigint NOT NULL,
    PRIMARY KEY (tenant, pair_key)
);

CREATE TABLE graph_summaries (
    tenant integer NOT NULL,
    digest_key bytea NOT NULL,
    digest text NOT NULL,
    text text NOT NULL,
    PRIMARY KEY (tenant, digest_key)
);
