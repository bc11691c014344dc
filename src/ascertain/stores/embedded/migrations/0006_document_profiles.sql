-- What kind of text each document is; NULL for those written before.

ALTER TABLE documents ADD COLUMN type TEXT;
ALTER TABLE documents ADD COLUMN type_confidence REAL;
ALTER TABLE documents ADD COLUMN technical_density REAL;
ALTER TABLE documents ADD COLUMN domains TEXT;
CREATE INDEX documents_by_type ON documents (tenant, type, first_row, technical_density, domains)
    WHERE type IS NOT NULL;
