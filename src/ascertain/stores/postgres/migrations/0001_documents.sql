-- Documents with their text, and chunks. Times are ISO 8601 text as written, with microseconds since 1970 beside them for
-- comparing; "C" because order and prefixes are those of code points.
--
-- Each version of a document draws a block of 2^20 rows, of which its searchable chunks have the first ones:
-- first_row .. first_row + chunks - 1, then its parents. So rows are never used twice, and a row says which version it is of.
-- A document without first_row has failed and was never indexed. The column "version" is the number that fingerprints are added up of.
CREATE SEQUENCE row_blocks;

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
    domains text,
    domain_names text[] COLLATE "C",
    completeness text,
    version bigint
);
-- The beginning only: a source can be longer than an index takes. conditions.py asks for beginning and whole.
CREATE INDEX documents_by_source ON documents (tenant, "left"(source, 400));
CREATE INDEX documents_by_date ON documents (tenant, published);
CREATE INDEX documents_by_kind ON documents (tenant, kind, profile);
CREATE INDEX documents_by_conversation ON documents (tenant, conversation_id) WHERE conversation_id IS NOT NULL;
CREATE INDEX documents_by_original ON documents (duplicate_of) WHERE duplicate_of IS NOT NULL;
CREATE INDEX documents_by_tag ON documents USING gin (tag_names);

CREATE TABLE texts (
    document bigint PRIMARY KEY REFERENCES documents (number) ON DELETE CASCADE,
    text text NOT NULL,
    blocks text NOT NULL
);

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

-- Running totals over the searchable documents, so that counting does not read them all: chunks, numbers of versions, documents of
-- each type and domain, and the sum of their technical density. Writers only add rows, so that none waits for another; the store folds
-- them into one row each from time to time. numeric: what is added and taken away again leaves exactly nothing.
CREATE TABLE tallies (
    number bigint GENERATED ALWAYS AS IDENTITY,
    tenant text COLLATE "C" NOT NULL,
    what text COLLATE "C" NOT NULL,
    name text COLLATE "C" NOT NULL,
    amount numeric NOT NULL,
    PRIMARY KEY (tenant, number)
);
CREATE INDEX tallies_of_chunks ON tallies (tenant) INCLUDE (amount) WHERE what = 'chunks';

-- Adds up the rows of the transition table "touched"; the argument is 1 for rows that are new and -1 for rows that are gone.
CREATE FUNCTION tally() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
    INSERT INTO tallies (tenant, what, name, amount)
    SELECT tenant, what, name, sum(amount) * TG_ARGV[0]::integer FROM (
        SELECT tenant, 'chunks' AS what, '' AS name, chunks::numeric AS amount FROM touched WHERE first_row IS NOT NULL
        UNION ALL
        SELECT tenant, 'versions', '', version::numeric FROM touched WHERE chunks > 0
        UNION ALL
        SELECT tenant, 'type', type, 1 FROM touched WHERE first_row IS NOT NULL AND type IS NOT NULL
        UNION ALL
        SELECT tenant, 'density', '', technical_density::numeric FROM touched
        WHERE first_row IS NOT NULL AND type IS NOT NULL
        UNION ALL
        SELECT tenant, 'domain', unnest(domain_names), 1 FROM touched WHERE first_row IS NOT NULL AND type IS NOT NULL
    ) parts GROUP BY tenant, what, name HAVING sum(amount) <> 0;
    RETURN NULL;
END $$;

CREATE TRIGGER tally_insert AFTER INSERT ON documents
    REFERENCING NEW TABLE AS touched FOR EACH STATEMENT EXECUTE FUNCTION tally('1');
CREATE TRIGGER tally_update_new AFTER UPDATE ON documents
    REFERENCING NEW TABLE AS touched FOR EACH STATEMENT EXECUTE FUNCTION tally('1');
CREATE TRIGGER tally_update_old AFTER UPDATE ON documents
    REFERENCING OLD TABLE AS touched FOR EACH STATEMENT EXECUTE FUNCTION tally('-1');
CREATE TRIGGER tally_delete AFTER DELETE ON documents
    REFERENCING OLD TABLE AS touched FOR EACH STATEMENT EXECUTE FUNCTION tally('-1');
