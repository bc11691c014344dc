-- Vectors as float16, one for each searchable chunk and generation (an embedding model and its dimension).

CREATE TABLE generations (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    model TEXT NOT NULL, dimension INTEGER NOT NULL CHECK (dimension > 0),
    state TEXT NOT NULL CHECK (state IN ('active', 'building', 'retired')), created_at TEXT NOT NULL);
CREATE UNIQUE INDEX one_active_generation ON generations (state) WHERE state = 'active';
CREATE UNIQUE INDEX one_building_generation ON generations (state) WHERE state = 'building';
CREATE TABLE vectors (
    row INTEGER NOT NULL REFERENCES chunks (row) ON DELETE CASCADE,
    generation INTEGER NOT NULL REFERENCES generations (number),
    vector BLOB NOT NULL, PRIMARY KEY (row, generation)) WITHOUT ROWID;
