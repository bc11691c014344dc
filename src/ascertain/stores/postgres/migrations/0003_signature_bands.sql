-- Bands of MinHash signatures, for finding near-duplicates without comparing every pair.
CREATE TABLE signature_bands (
    band bigint NOT NULL,
    document bigint NOT NULL REFERENCES documents (number) ON DELETE CASCADE,
    PRIMARY KEY (band, document)
);
CREATE INDEX signature_bands_of_document ON signature_bands (document);
