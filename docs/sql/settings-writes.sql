-- What the settings page writes on top, if the server's role is to offer it: it makes and revokes keys, writes the audit
-- trail, and signs people in. A trigger lets nobody clear revoked_at, or extend an expiry that has passed. Without this the
-- server leaves the settings page off. Run as the operator's role.
GRANT INSERT, UPDATE (revoked_at, expires_at) ON vitrine.api_keys TO vitrine_server;
GRANT INSERT ON vitrine.audit TO vitrine_server;
GRANT INSERT (workspace_id, number, hash), UPDATE (number, hash) ON vitrine.audit_heads TO vitrine_server;
GRANT INSERT, UPDATE, DELETE ON vitrine.sessions TO vitrine_server;
GRANT INSERT, DELETE ON vitrine.tickets TO vitrine_server;
