-- Turns of conversations, in the order in which they were begun. An id may be longer than an index takes, so turns are found by digests
-- (see turns.py): conversation_key is that of tenant and conversation, turn_key that of the turn's id. "owner" is the token of the
-- process that works on a running turn (see presence.py); "answer" is the whole answer, compressed JSON.
CREATE TABLE turns (
    number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    conversation_key bytea NOT NULL,
    turn_key bytea NOT NULL,
    tenant text COLLATE "C" NOT NULL,
    conversation text NOT NULL,
    turn text NOT NULL,
    question text NOT NULL,
    asked_at text NOT NULL,
    state text COLLATE "C" NOT NULL CHECK (state IN ('running', 'finished', 'failed', 'interrupted')),
    reason text NOT NULL DEFAULT '',
    owner bigint NOT NULL,
    standalone text,
    text text,
    type text,
    finished_at text,
    answer bytea,
    UNIQUE (conversation_key, turn_key)
);
-- It is compressed already.
ALTER TABLE turns ALTER COLUMN answer SET STORAGE EXTERNAL;
CREATE INDEX turns_in_order ON turns (conversation_key, number);
CREATE INDEX turns_with_answers ON turns (conversation_key, number) WHERE answer IS NOT NULL;
CREATE INDEX turns_of_tenant ON turns USING hash (tenant);
