-- For the settings page: who is signed in, what was refused, and where keys are used from.

CREATE TABLE sessions (
  hash       TEXT PRIMARY KEY,
  email      TEXT NOT NULL,
  started_at TEXT NOT NULL,
  seen_at    TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX sessions_of_email ON sessions (email);

-- What works once: sign-in links, visits to an identity provider, and forms that must not be sent twice.
CREATE TABLE tickets (
  hash       TEXT PRIMARY KEY,
  kind       TEXT NOT NULL,
  subject    TEXT NOT NULL,
  detail     TEXT NOT NULL,
  expires_at TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX tickets_by_end ON tickets (expires_at);

-- Refusals of a key and sightings of it where keys must not be: one row a day and kind, however many there are.
CREATE TABLE key_incidents (
  id       INTEGER PRIMARY KEY,
  key_id   TEXT NOT NULL,
  day      TEXT NOT NULL,
  kind     TEXT NOT NULL,
  count    INTEGER NOT NULL,
  first_at TEXT NOT NULL,
  last_at  TEXT NOT NULL,
  client   TEXT,
  UNIQUE (key_id, day, kind)
) STRICT;

ALTER TABLE key_use ADD COLUMN first_at TEXT;
ALTER TABLE key_use ADD COLUMN first_client TEXT;
ALTER TABLE key_use ADD COLUMN last_client TEXT;

CREATE INDEX api_keys_by_prefix ON api_keys (prefix);
CREATE INDEX members_by_email ON members (email);
CREATE INDEX audit_by_time ON audit (workspace_id, at, id);
