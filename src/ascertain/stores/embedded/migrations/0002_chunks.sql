-- Chunks, and the log of what was added and removed.
--
-- chunks.row is never used twice (AUTOINCREMENT) and a row's content never changes, so an index that has
-- applied everything up to a row only needs the later rows and the removals. The searchable chunks of a
-- document have the rows first_row .. first_row + chunks - 1.

CREATE TABLE chunks (
    row INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    document INTEGER NOT NULL REFERENCES documents (number) ON DELETE CASCADE,
    position INTEGER NOT NULL, span_start INTEGER NOT NULL, span_end INTEGER NOT NULL,
    text TEXT NOT NULL, heading TEXT NOT NULL, place TEXT, parent_id TEXT, is_parent INTEGER NOT NULL,
    overlap_previous INTEGER NOT NULL, overlap_next INTEGER NOT NULL);
CREATE INDEX chunks_of_document ON chunks (document, position);
CREATE TABLE changes (
    sequence INTEGER PRIMARY KEY AUTOINCREMENT,
    kind TEXT NOT NULL CHECK (kind IN ('add', 'remove', 'embed')),
    first_row INTEGER NOT NULL, last_row INTEGER NOT NULL);
