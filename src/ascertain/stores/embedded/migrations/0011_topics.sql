-- What each chunk is about; NULL for those written before, and for those about nothing that could be told.

ALTER TABLE chunks ADD COLUMN topics TEXT;
CREATE TABLE chunk_topics (
    topic TEXT NOT NULL,
    row INTEGER NOT NULL,
    document INTEGER NOT NULL REFERENCES documents (number) ON DELETE CASCADE,
    PRIMARY KEY (topic, row)) WITHOUT ROWID;
CREATE INDEX topics_of_document ON chunk_topics (document);
