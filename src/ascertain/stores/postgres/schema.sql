-- The schema of a knowledge base, of version SCHEMA in schema.py: raise that number with every change of this file.
CREATE TABLE schema_version (number integer PRIMARY KEY, created_at timestamptz NOT NULL DEFAULT now());

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
    version bigint,
    title_words tsvector,
    summary_words tsvector,
    text_words tsvector,
    words tsvector
);
-- The beginning only: a source can be longer than an index takes. dialect.py asks for beginning and whole.
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
    overlap_next integer NOT NULL,
    topics text,
    title_words tsvector,
    heading_words tsvector,
    text_words tsvector,
    title_length integer,
    length integer,
    words tsvector,
    CHECK (is_parent OR words IS NOT NULL)
);
CREATE INDEX chunks_of_document ON chunks (document, position);
-- What chunks are about; none where nothing could be told.
CREATE TABLE chunk_topics (
    topic text COLLATE "C" NOT NULL,
    "row" bigint NOT NULL,
    document bigint NOT NULL REFERENCES documents (number) ON DELETE CASCADE,
    PRIMARY KEY (topic, "row")
);
CREATE INDEX topics_of_document ON chunk_topics (document);

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

-- Generations of vectors: an embedding model and its dimension each. Generation n keeps one vector for each searchable chunk
-- in a table vectors_n of its own, which is made with it (see vectors.py), since the dimension is part of its type.
CREATE TABLE generations (
    number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    model text NOT NULL,
    dimension integer NOT NULL CHECK (dimension > 0),
    state text COLLATE "C" NOT NULL CHECK (state IN ('active', 'building', 'retired')),
    created_at timestamptz NOT NULL DEFAULT now()
);
CREATE UNIQUE INDEX one_active_generation ON generations (state) WHERE state = 'active';
CREATE UNIQUE INDEX one_building_generation ON generations (state) WHERE state = 'building';

-- Bands of MinHash signatures, for finding near-duplicates without comparing every pair.
CREATE TABLE signature_bands (
    band bigint NOT NULL,
    document bigint NOT NULL REFERENCES documents (number) ON DELETE CASCADE,
    PRIMARY KEY (band, document)
);
CREATE INDEX signature_bands_of_document ON signature_bands (document);

-- Words, as stores.text_analysis makes them of texts, for searching. Whoever writes a chunk hands them over as vectors without
-- weights in title_words, heading_words and text_words; a trigger puts them together in "words" with the weights A, B and C and
-- empties the columns they came in. Documents likewise, with title, summary and text. Positions go on from part to part, so that
-- a phrase may begin in the heading and end in the text. title_length and length count the words of the title, and of heading and
-- text. See words/ for the lexemes that end in a superscript plus.

-- Read for every candidate of a search: beside the row, not in pieces elsewhere.
ALTER TABLE chunks ALTER COLUMN words SET STORAGE MAIN;
CREATE INDEX documents_by_words ON documents USING gin (words);
CREATE INDEX chunks_by_words ON chunks USING gin (words);

CREATE FUNCTION weigh_document_words() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
    NEW.words := setweight(coalesce(NEW.title_words, ''), 'A') || setweight(coalesce(NEW.summary_words, ''), 'B')
        || setweight(NEW.text_words, 'C');
    NEW.title_words := NULL;
    NEW.summary_words := NULL;
    NEW.text_words := NULL;
    RETURN NEW;
END $$;
CREATE TRIGGER weigh_words BEFORE INSERT OR UPDATE ON documents
    FOR EACH ROW WHEN (NEW.text_words IS NOT NULL) EXECUTE FUNCTION weigh_document_words();

CREATE FUNCTION weigh_chunk_words() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
    NEW.words := setweight(coalesce(NEW.title_words, ''), 'A') || setweight(coalesce(NEW.heading_words, ''), 'B')
        || setweight(NEW.text_words, 'C');
    NEW.title_words := NULL;
    NEW.heading_words := NULL;
    NEW.text_words := NULL;
    RETURN NEW;
END $$;
CREATE TRIGGER weigh_words BEFORE INSERT OR UPDATE ON chunks
    FOR EACH ROW WHEN (NEW.text_words IS NOT NULL) EXECUTE FUNCTION weigh_chunk_words();

-- A number of words as Tantivy, which searches the embedded store, tells lengths apart: exact up to 40, then to four significant bits
-- above 24, rounded down (Lucene's SmallFloat). With it both stores give the same scores.
CREATE FUNCTION rounded_length(words integer) RETURNS integer LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE
        WHEN words < 40 THEN words
        ELSE words - (words - 24) % (1 << (floor(ln((words - 24)::float8) / ln(2::float8))::integer - 3))
    END
$$;

-- In how many chunks each lexeme occurs: in the heading or text, and in the title. Writers only add differences, so that none
-- waits for another; they are folded into the counts a batch at a time. The truth is the sum of both.
CREATE TABLE word_counts (
    lexeme text COLLATE "C" PRIMARY KEY,
    chunks bigint NOT NULL,
    titles bigint NOT NULL
) WITH (fillfactor = 80);
-- A row for each statement that changed chunks. "chunks", "length" and "title_length" are the differences of how many chunks with
-- words there are and of how many words these have, in the heading and text and in the title; the lists are parallel, with
-- as many "entries" each.
CREATE TABLE word_changes (
    chunks bigint NOT NULL,
    length bigint NOT NULL,
    title_length bigint NOT NULL,
    lexemes text[] COLLATE "C" NOT NULL,
    in_chunks bigint[] NOT NULL,
    in_titles bigint[] NOT NULL,
    entries integer NOT NULL DEFAULT 0
);

CREATE FUNCTION fold_words() RETURNS void LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
    -- One at a time: two would lock the rows of word_counts in different orders.
    IF NOT pg_try_advisory_xact_lock(hashtextextended('ascertain words ' || current_schema(), 0))
        OR NOT EXISTS (SELECT FROM word_changes WHERE cardinality(lexemes) > 0) THEN
        RETURN;
    END IF;
    WITH differences AS (
        DELETE FROM word_changes RETURNING *
    ), totals AS (
        INSERT INTO word_changes
        SELECT sum(chunks), sum(length), sum(title_length), '{}', '{}', '{}', 0 FROM differences
    )
    INSERT INTO word_counts AS counts (lexeme, chunks, titles)
    SELECT each.lexeme, sum(each.in_chunks), sum(each.in_titles)
    FROM differences d, unnest(d.lexemes, d.in_chunks, d.in_titles) AS each (lexeme, in_chunks, in_titles)
    GROUP BY each.lexeme HAVING sum(each.in_chunks) <> 0 OR sum(each.in_titles) <> 0
    ON CONFLICT (lexeme) DO UPDATE
    SET chunks = counts.chunks + excluded.chunks, titles = counts.titles + excluded.titles;
END $$;

-- At the end of a run of writes. SECURITY DEFINER: only the owner of an index may empty its list of pending entries.
CREATE FUNCTION settle_words() RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
    PERFORM fold_words();
    PERFORM gin_clean_pending_list('chunks_by_words'), gin_clean_pending_list('documents_by_words');
END $$;

-- Note what a statement added (transition table "added") and removed ("removed"). Markers have no positions and are not counted.
CREATE FUNCTION count_words() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
    noting CONSTANT text := $noting$
        INSERT INTO word_changes
        SELECT totals.chunks * $1, totals.length * $1, totals.title_length * $1,
            coalesce(words.lexemes, '{}'), coalesce(words.in_chunks, '{}'), coalesce(words.in_titles, '{}'), words.entries
        FROM (
            SELECT count(*) AS chunks, sum(length) AS length, sum(title_length) AS title_length
            FROM %1$I WHERE words IS NOT NULL) totals, (
            SELECT array_agg(lexeme) AS lexemes, array_agg(in_chunks * $1) AS in_chunks, array_agg(in_titles * $1) AS in_titles,
                count(*) AS entries
            FROM (
                SELECT lexeme, count(*) FILTER (WHERE weights && '{B,C}') AS in_chunks,
                    count(*) FILTER (WHERE weights[1] = 'A') AS in_titles
                FROM %1$I, unnest(words) WHERE positions IS NOT NULL GROUP BY lexeme) each) words
        WHERE totals.chunks > 0
    $noting$;
BEGIN
    IF TG_OP <> 'INSERT' THEN
        EXECUTE format(noting, 'removed') USING -1;
    END IF;
    IF TG_OP <> 'DELETE' THEN
        EXECUTE format(noting, 'added') USING 1;
    END IF;
    -- A search reads all differences: 64,000 lexemes take it some ten milliseconds. A statement of a few hundred chunks has thousands.
    IF (SELECT count(*) > 64 OR sum(entries) > 64000 FROM word_changes) THEN
        PERFORM fold_words();
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER count_words_added AFTER INSERT ON chunks
    REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION count_words();
CREATE TRIGGER count_words_removed AFTER DELETE ON chunks
    REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION count_words();
CREATE TRIGGER count_words_changed AFTER UPDATE ON chunks
    REFERENCING OLD TABLE AS removed NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION count_words();

-- Turns of conversations, in the order in which they were begun. An id may be longer than an index takes, so turns are found by digests
-- (see stores.encoding): conversation_key is that of tenant and conversation, turn_key that of the turn's id. "owner" is the token of the
-- process that works on a running turn (see tables.py); "answer" is the whole answer, compressed JSON.
CREATE TABLE turns (
    number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    conversation_key bytea NOT NULL,
    turn_key bytea NOT NULL,
    tenant text COLLATE "C" NOT NULL,
    conversation text NOT NULL,
    turn text NOT NULL,
    question text NOT NULL,
    asked_at text NOT NULL,
    state text COLLATE "C" NOT NULL CHECK (state IN ('running', 'finished', 'failed', 'interrupted')),
    reason text NOT NULL DEFAULT '',
    owner bigint NOT NULL,
    standalone text,
    text text,
    type text,
    finished_at text,
    answer bytea,
    UNIQUE (conversation_key, turn_key)
);
-- It is compressed already.
ALTER TABLE turns ALTER COLUMN answer SET STORAGE EXTERNAL;
CREATE INDEX turns_in_order ON turns (conversation_key, number);
CREATE INDEX turns_with_answers ON turns (conversation_key, number) WHERE answer IS NOT NULL;
CREATE INDEX turns_of_tenant ON turns USING hash (tenant);

-- What people call their conversations, and which they pinned; label_key is a digest of tenant and conversation.

CREATE TABLE conversation_labels (
    label_key bytea NOT NULL PRIMARY KEY, tenant text COLLATE "C" NOT NULL, conversation text NOT NULL,
    name text NOT NULL, is_pinned integer NOT NULL, owner text NOT NULL DEFAULT '',
    is_shared integer NOT NULL DEFAULT 0);
CREATE INDEX labels_of_tenant ON conversation_labels USING hash (tenant);

-- Runs of ingest in the order in which they were first recorded. "run_key" is the digest of tenant and id, which may be longer than an
-- index takes; "owner" is the token of the process that stands for a running one (see tables.py).
CREATE TABLE ingest_runs (
    number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    run_key bytea NOT NULL UNIQUE,
    tenant text COLLATE "C" NOT NULL,
    id text NOT NULL,
    engine text NOT NULL,
    what text NOT NULL,
    started_at text NOT NULL,
    started bigint NOT NULL,
    updated_at text NOT NULL,
    state text COLLATE "C" NOT NULL CHECK (state IN ('running', 'finished', 'failed', 'interrupted')),
    owner bigint NOT NULL,
    bytes_done bigint NOT NULL,
    bytes_total bigint NOT NULL,
    chunks bigint NOT NULL,
    failures bigint NOT NULL,
    reason text NOT NULL
);
CREATE INDEX ingest_runs_of_tenant ON ingest_runs USING hash (tenant);

-- What a service keeps: keys, jobs, files, feedback, answers, rate limits, events and fetches; see relational/service_tables.py. Columns that
-- end in _key are digests of names, which may be longer than an index takes. Times are microseconds since 1970. "owner" is the user that made something, empty where no key did (in jobs
-- and file_contents the token of a process, see tables.py).
CREATE TABLE api_keys (
    number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    id_key bytea NOT NULL UNIQUE,
    digest bytea NOT NULL UNIQUE,
    id text NOT NULL,
    name text NOT NULL,
    tenant text NOT NULL,
    hint text NOT NULL,
    created bigint NOT NULL,
    requests_per_minute integer NOT NULL,
    -- whose things the key opens
    username text NOT NULL,
    role text NOT NULL,
    expires bigint,
    revoked bigint,
    last_used bigint
);

-- "owner" is the token of the process that works on a running job (see tables.py).
CREATE TABLE jobs (
    number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    job_key bytea NOT NULL UNIQUE,
    id_key bytea NOT NULL,
    tenant_key bytea NOT NULL,
    id text NOT NULL,
    kind text NOT NULL,
    what text NOT NULL,
    created bigint NOT NULL,
    updated bigint NOT NULL,
    tenant text NOT NULL,
    state text COLLATE "C" NOT NULL CHECK (state IN ('queued', 'running', 'finished', 'failed', 'cancelled')),
    owner bigint,
    work text NOT NULL,
    report text NOT NULL,
    done bigint NOT NULL,
    total bigint NOT NULL,
    reason text NOT NULL,
    attempts integer NOT NULL
);
CREATE INDEX jobs_in_order ON jobs (tenant_key, created, number);
CREATE INDEX open_jobs ON jobs (created, number) WHERE state IN ('queued', 'running');
CREATE INDEX running_jobs ON jobs (id_key, owner) WHERE state = 'running';

-- Contents of files, in pieces. One that is being written has the token of the process that writes it.
CREATE TABLE file_contents (
    number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    file_key bytea NOT NULL,
    owner bigint
);
CREATE INDEX file_contents_of_file ON file_contents (file_key);
CREATE INDEX file_contents_being_written ON file_contents (owner) WHERE owner IS NOT NULL;
CREATE TABLE file_pieces (
    content bigint NOT NULL REFERENCES file_contents (number) ON DELETE CASCADE,
    place integer NOT NULL,
    data bytea NOT NULL,
    PRIMARY KEY (content, place)
);
-- Documents are mostly compressed already.
ALTER TABLE file_pieces ALTER COLUMN data SET STORAGE EXTERNAL;
-- "id_start" is the beginning of the id.
CREATE TABLE files (
    number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    file_key bytea NOT NULL UNIQUE,
    tenant_key bytea NOT NULL,
    id_start text COLLATE "C" NOT NULL,
    content bigint NOT NULL REFERENCES file_contents (number),
    id text NOT NULL,
    name text NOT NULL,
    size bigint NOT NULL,
    sha256 text NOT NULL,
    created bigint NOT NULL,
    tenant text NOT NULL,
    owner text NOT NULL DEFAULT ''
);
CREATE INDEX files_by_id ON files (tenant_key, id_start);
CREATE INDEX files_of_content ON files (content);

CREATE TABLE given_answers (
    number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    answer_key bytea NOT NULL UNIQUE,
    tenant_key bytea NOT NULL,
    id text NOT NULL,
    answered bigint NOT NULL,
    question text NOT NULL,
    answer_type text NOT NULL,
    strategy text NOT NULL,
    confidence integer NOT NULL,
    question_kind text NOT NULL,
    features text NOT NULL,
    conversation text,
    tenant text NOT NULL,
    thumb text COLLATE "C" CHECK (thumb IN ('up', 'down')),
    comment text NOT NULL,
    judged bigint,
    owner text NOT NULL DEFAULT ''
);
CREATE INDEX unjudged_answers ON given_answers (tenant_key, number) WHERE thumb IS NULL;
CREATE INDEX judged_answers ON given_answers (tenant_key, judged, number) WHERE thumb IS NOT NULL;

CREATE TABLE cached_answers (
    number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    answer_key bytea NOT NULL UNIQUE,
    tenant_key bytea NOT NULL,
    corpus text NOT NULL,
    stored bigint NOT NULL,
    answer bytea NOT NULL
);
-- It is compressed already.
ALTER TABLE cached_answers ALTER COLUMN answer SET STORAGE EXTERNAL;
CREATE INDEX cached_answers_of_tenant ON cached_answers (tenant_key, stored, number);

CREATE TABLE rate_buckets (
    name_key bytea PRIMARY KEY,
    tokens double precision NOT NULL,
    moment bigint NOT NULL,
    full_at bigint NOT NULL
) WITH (fillfactor = 50);
CREATE INDEX rate_buckets_by_end ON rate_buckets (full_at);

CREATE TABLE event_logs (
    number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    log_key bytea NOT NULL UNIQUE,
    touched bigint NOT NULL,
    owner text NOT NULL DEFAULT '',
    -- a digest of tenant and what a stream is about: a conversation or a run
    about_key bytea
);
CREATE INDEX event_logs_by_age ON event_logs (touched);
CREATE INDEX event_logs_about ON event_logs (about_key) WHERE about_key IS NOT NULL;
CREATE TABLE events (
    log bigint NOT NULL REFERENCES event_logs (number) ON DELETE CASCADE,
    number integer NOT NULL,
    kind text NOT NULL,
    data text NOT NULL,
    is_last boolean NOT NULL,
    PRIMARY KEY (log, number)
);

CREATE TABLE fetch_states (
    url_key bytea PRIMARY KEY,
    url text NOT NULL,
    fetched bigint NOT NULL,
    etag text,
    last_modified text
);

-- Who did what; tenant_key is a digest.
CREATE TABLE audit_entries (
    number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    moment bigint NOT NULL, tenant_key bytea NOT NULL, tenant text NOT NULL, key_id text NOT NULL, username text NOT NULL,
    address text NOT NULL, action text NOT NULL, subject text NOT NULL, outcome text NOT NULL);
CREATE INDEX audit_entries_of_tenant ON audit_entries (tenant_key, number);

-- Who works on something that only one may work on; lease_key is a digest, owner the token of the process.

CREATE TABLE leases (lease_key bytea NOT NULL PRIMARY KEY, owner bigint NOT NULL);

-- Sources that somebody often asks together, under a name; sources is a JSON array, notebook_key a digest of tenant and id.

CREATE TABLE notebooks (
    notebook_key bytea NOT NULL PRIMARY KEY, tenant_key bytea NOT NULL, id text NOT NULL, name text NOT NULL, sources text NOT NULL,
    owner text NOT NULL, is_shared integer NOT NULL, changed bigint NOT NULL, tenant text NOT NULL);
CREATE INDEX notebooks_of_tenant ON notebooks USING hash (tenant_key);

-- People who sign in by name and password; secret is a slow, salted hash with its parameters, user_key a digest of the name.

CREATE TABLE users (
    user_key bytea NOT NULL PRIMARY KEY, name text NOT NULL, tenant text NOT NULL, role text NOT NULL, secret text NOT NULL,
    changed bigint NOT NULL);

-- What documents say: names, mentions, relations, aliases, and what was decided and written about them; see relational/graph_store.py. Columns that
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
