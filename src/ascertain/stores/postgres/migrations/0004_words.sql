-- needs 4
-- Words, as ascertain.stores.analysis makes them of texts, for searching. Whoever writes a chunk hands them over as vectors without
-- weights in title_words, heading_words and text_words; a trigger puts them together in "words" with the weights A, B and C and
-- empties the columns they came in. Documents likewise, with title, summary and text. Positions go on from part to part, so that
-- a phrase may begin in the heading and end in the text. title_length and length count the words of the title, and of heading and
-- text. See words.py for the lexemes that end in a superscript plus.
--
-- A searchable chunk without words was written before this step; `ascertain db upgrade` gives it some (words_filling.py).
ALTER TABLE documents
    ADD COLUMN title_words tsvector,
    ADD COLUMN summary_words tsvector,
    ADD COLUMN text_words tsvector,
    ADD COLUMN words tsvector;
ALTER TABLE chunks
    ADD COLUMN title_words tsvector,
    ADD COLUMN heading_words tsvector,
    ADD COLUMN text_words tsvector,
    ADD COLUMN title_length integer,
    ADD COLUMN length integer,
    ADD COLUMN words tsvector;
-- Read for every candidate of a search: beside the row, not in pieces elsewhere.
ALTER TABLE chunks ALTER COLUMN words SET STORAGE MAIN;
CREATE INDEX documents_by_words ON documents USING gin (words);
CREATE INDEX chunks_by_words ON chunks USING gin (words);
CREATE INDEX chunks_without_words ON chunks ("row") WHERE words IS NULL AND NOT is_parent;

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
