-- A key that a person gave a program by signing in is a connection. It has a client, and instead of one token that is shown once, the
-- tokens below.
ALTER TABLE api_keys ADD COLUMN client_id TEXT;
-- The host that receives the tokens.
ALTER TABLE api_keys ADD COLUMN client_host TEXT;
-- Networks in CIDR notation, separated by commas, from which the key can be used. NULL means all.
ALTER TABLE api_keys ADD COLUMN networks TEXT;

CREATE TABLE connection_tokens (
  hash        TEXT PRIMARY KEY,
  key_id      TEXT NOT NULL,
  -- A code is stored only after its use, to notice a second one.
  kind        TEXT NOT NULL CHECK (kind IN ('code', 'access', 'refresh')),
  expires_at  TEXT NOT NULL,
  -- When a refresh token was exchanged for the next, and the salt from which, together with the token itself, the next can be derived again.
  replaced_at TEXT,
  salt        TEXT
) STRICT, WITHOUT ROWID;
CREATE INDEX connection_tokens_by_key ON connection_tokens (key_id, expires_at);
CREATE INDEX connection_tokens_by_end ON connection_tokens (expires_at);
