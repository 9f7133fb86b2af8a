-- Lets the server's role count requests and record requests and what they mean for their keys, nothing else. Run as the operator's role, after
-- 'vitrine migrate', and again after an update that adds to this list.
GRANT INSERT, UPDATE ON vitrine.quota_windows, vitrine.key_use TO vitrine_server;
GRANT INSERT ON vitrine.request_log TO vitrine_server;
GRANT UPDATE (last_used_at, last_refused_at, last_refusal, leaked_at, leaked_in) ON vitrine.api_keys TO vitrine_server;
-- Counts uses by the workspace's days.
GRANT EXECUTE ON FUNCTION vitrine.day_in_zone TO vitrine_server;
