-- A person's passkeys (WebAuthn), with which they sign in to all of their workspaces.
CREATE TABLE vitrine.passkeys (
  -- The credential's id, chosen by the authenticator, in base64url.
  id         text PRIMARY KEY,
  email      text NOT NULL,
  name       text NOT NULL,
  -- A COSE key in base64url.
  public_key text NOT NULL,
  -- The authenticator's count of signatures, which never falls unless the key was copied. 0 if it does not count.
  counter    bigint NOT NULL,
  created_at timestamptz NOT NULL,
  used_at    timestamptz
);
CREATE INDEX passkeys_of_email ON vitrine.passkeys (email);
