-- Generations of vectors: an embedding model and its dimension each. Generation n keeps one vector for each searchable chunk
-- in a table vectors_n of its own, which is made with it (see generations.py), since the dimension is part of its type.
CREATE TABLE generations (
    number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    model text NOT NULL,
    dimension integer NOT NULL CHECK (dimension > 0),
    state text COLLATE "C" NOT NULL CHECK (state IN ('active', 'building', 'retired')),
    created_at timestamptz NOT NULL DEFAULT now()
);
CREATE UNIQUE INDEX one_active_generation ON generations (state) WHERE state = 'active';
CREATE UNIQUE INDEX one_building_generation ON generations (state) WHERE state = 'building';
