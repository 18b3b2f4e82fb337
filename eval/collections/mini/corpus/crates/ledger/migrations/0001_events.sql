CREATE TABLE events (
    sequence   BIGINT PRIMARY KEY,
    happened   TIMESTAMPTZ NOT NULL DEFAULT now(),
    kind       TEXT NOT NULL,
    payload    JSONB NOT NULL
);

CREATE INDEX events_by_kind ON events (kind, sequence);
