-- Additional privileges for the settings page: it creates, changes, pauses and revokes keys, writes the audit log, signs people in,
-- lets owners and admins manage members, and changes, archives and restores workspaces. A trigger stops everyone from clearing
-- revoked_at or extending an expiry or a retirement that has passed. Without these privileges the settings page is off. Run as the
-- operator's role, and again after an update that adds to this list.
GRANT INSERT, UPDATE (label, permissions, networks, only_rows, rate_limit, rate_window_seconds, expires_at, retires_at, paused_at, revoked_at) ON vitrine.api_keys TO vitrine_server;
-- Without its id, which the database numbers. Triggers let an entry only follow the last one, and let the head only become the last entry.
GRANT INSERT (at, workspace_id, actor, action, subject, detail, number, previous_hash, hash) ON vitrine.audit TO vitrine_server;
GRANT INSERT (workspace_id, number, hash), UPDATE (number, hash) ON vitrine.audit_heads TO vitrine_server;
GRANT INSERT, UPDATE, DELETE ON vitrine.sessions TO vitrine_server;
GRANT INSERT, DELETE ON vitrine.tickets TO vitrine_server;
GRANT INSERT, DELETE, UPDATE (counter, used_at) ON vitrine.passkeys TO vitrine_server;
-- Removes requests that are older than the request log keeps.
GRANT DELETE ON vitrine.request_log TO vitrine_server;
-- The tokens of programs that people connect by signing in.
GRANT INSERT, DELETE, UPDATE (replaced_at, salt) ON vitrine.connection_tokens TO vitrine_server;
GRANT INSERT, DELETE, UPDATE (role, signed_in_at) ON vitrine.members TO vitrine_server;
GRANT UPDATE (name, timezone, currency_code, country_code, archived_at) ON vitrine.workspaces TO vitrine_server;
-- A change of a workspace also moves its revision, until which responses are cached.
GRANT INSERT, UPDATE (number) ON vitrine.revisions TO vitrine_server;
-- Who is notified of what, and what was sent.
GRANT INSERT, UPDATE ON vitrine.notice_settings TO vitrine_server;
GRANT INSERT, DELETE ON vitrine.notice_recipients TO vitrine_server;
GRANT INSERT, DELETE, UPDATE (message_id) ON vitrine.notice_events TO vitrine_server;
GRANT INSERT, DELETE, UPDATE (state, attempts, next_at, ended_at, reason) ON vitrine.notice_deliveries TO vitrine_server;
