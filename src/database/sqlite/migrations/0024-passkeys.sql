-- A person's passkeys (WebAuthn), with which they sign in to all of their workspaces.
CREATE TABLE passkeys (
  -- The credential's id, chosen by the authenticator, in base64url.
  id         TEXT PRIMARY KEY,
  email      TEXT NOT NULL,
  name       TEXT NOT NULL,
  -- A COSE key in base64url.
  public_key TEXT NOT NULL,
  -- The authenticator's count of signatures, which never falls unless the key was copied. 0 if it does not count.
  counter    INTEGER NOT NULL,
  created_at TEXT NOT NULL,
  used_at    TEXT
) STRICT, WITHOUT ROWID;
CREATE INDEX passkeys_of_email ON passkeys (email);
