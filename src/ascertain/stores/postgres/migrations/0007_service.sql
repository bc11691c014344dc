-- What a service keeps: keys, jobs, files, feedback, answers, rate limits, events and fetches; see stores/service_tables. Columns that
-- end in _key are digests of names, which may be longer than an index takes. Times are microseconds since 1970.
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
    is_admin boolean NOT NULL,
    revoked bigint,
    last_used bigint
);

-- "owner" is the token of the process that works on a running job (see presence.py).
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
    tenant text NOT NULL
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
    judged bigint
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
    touched bigint NOT NULL
);
CREATE INDEX event_logs_by_age ON event_logs (touched);
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
