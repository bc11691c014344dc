-- What each chunk is about; NULL for those written before, and for those about nothing that could be told.

ALTER TABLE chunks ADD COLUMN topics text;
CREATE TABLE chunk_topics (
    topic text COLLATE "C" NOT NULL,
    "row" bigint NOT NULL,
    document bigint NOT NULL REFERENCES documents (number) ON DELETE CASCADE,
    PRIMARY KEY (topic, "row")
);
CREATE INDEX topics_of_document ON chunk_topics (document);
