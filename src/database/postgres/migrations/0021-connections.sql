-- A key that a person gave a program by signing in is a connection. It has a client, and instead of one token that is shown once, the
-- tokens below.
ALTER TABLE vitrine.api_keys ADD COLUMN client_id text;
-- The host that receives the tokens.
ALTER TABLE vitrine.api_keys ADD COLUMN client_host text;
-- Networks in CIDR notation, separated by commas, from which the key can be used. NULL means all.
ALTER TABLE vitrine.api_keys ADD COLUMN networks text;

CREATE TABLE vitrine.connection_tokens (
  hash        text PRIMARY KEY,
  key_id      text NOT NULL,
  -- A code is stored only after its use, to notice a second one.
  kind        text NOT NULL CHECK (kind IN ('code', 'access', 'refresh')),
  expires_at  timestamptz NOT NULL,
  -- When a refresh token was exchanged for the next, and the salt from which, together with the token itself, the next can be derived again.
  replaced_at timestamptz,
  salt        text
);
CREATE INDEX connection_tokens_by_key ON vitrine.connection_tokens (key_id, expires_at);
CREATE INDEX connection_tokens_by_end ON vitrine.connection_tokens (expires_at);
