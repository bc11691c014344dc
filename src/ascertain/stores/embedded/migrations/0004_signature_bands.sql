-- Bands of MinHash signatures, for finding near-duplicates without comparing every pair.

CREATE TABLE signature_bands (
    band INTEGER NOT NULL,
    document INTEGER NOT NULL REFERENCES documents (number) ON DELETE CASCADE,
    PRIMARY KEY (band, document)) WITHOUT ROWID;
CREATE INDEX signature_bands_of_document ON signature_bands (document);
