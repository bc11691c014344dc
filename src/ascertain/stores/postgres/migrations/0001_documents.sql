-- Documents with their text, and chunks. Times are ISO 8601 text as written, with microseconds since 1970 beside them for
-- comparing; "C" because order and prefixes are those of code points.
--
-- The searchable chunks of a document have the rows first_row .. first_row + chunks - 1; a document without first_row has
-- failed and was never indexed. Numbers and rows are never used twice.
CREATE TABLE documents (
    number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    id text COLLATE "C" NOT NULL UNIQUE,
    tenant text COLLATE "C" NOT NULL,
    source text COLLATE "C" NOT NULL,
    title text NOT NULL,
    summary text NOT NULL DEFAULT '',
    kind text COLLATE "C" NOT NULL,
    url text,
    author text,
    published_at text,
    published bigint,
    language text,
    tags text NOT NULL,
    tag_names text[] COLLATE "C" NOT NULL,
    profile text COLLATE "C" NOT NULL,
    conversation_id text COLLATE "C",
    state text COLLATE "C" NOT NULL,
    reason text NOT NULL,
    content_hash text NOT NULL,
    characters bigint NOT NULL,
    chunks integer NOT NULL,
    first_row bigint,
    added_at text NOT NULL,
    duplicate_of text COLLATE "C",
    signature bytea,
    type text COLLATE "C",
    type_confidence double precision,
    technical_density double precision,
    domains text
);
CREATE INDEX documents_by_source ON documents (tenant, source);
CREATE INDEX documents_by_date ON documents (tenant, published);
CREATE INDEX documents_by_kind ON documents (tenant, kind, profile);
CREATE INDEX documents_by_conversation ON documents (conversation_id) WHERE conversation_id IS NOT NULL;
CREATE INDEX documents_by_original ON documents (duplicate_of) WHERE duplicate_of IS NOT NULL;
CREATE INDEX documents_by_tag ON documents USING gin (tag_names);

CREATE TABLE texts (
    document bigint PRIMARY KEY REFERENCES documents (number) ON DELETE CASCADE,
    text text NOT NULL,
    regions text NOT NULL
);

-- A document cannot be longer than an integer counts: PostgreSQL holds 1 GB in a field.
CREATE SEQUENCE chunk_rows;
CREATE TABLE chunks (
    "row" bigint PRIMARY KEY,
    id text COLLATE "C" NOT NULL UNIQUE,
    document bigint NOT NULL REFERENCES documents (number) ON DELETE CASCADE,
    position integer NOT NULL,
    span_start integer NOT NULL,
    span_end integer NOT NULL,
    text text NOT NULL,
    heading text NOT NULL,
    place text,
    parent_id text COLLATE "C",
    is_parent boolean NOT NULL,
    overlap_previous integer NOT NULL,
    overlap_next integer NOT NULL
);
CREATE INDEX chunks_of_document ON chunks (document, position);
