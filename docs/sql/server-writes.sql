-- Lets the server's role count requests and record keys' use, callers and refusals, nothing else. Run as the operator's role, after
-- 'vitrine migrate', and again after an update that adds to this list.
GRANT INSERT, UPDATE ON vitrine.quota_windows, vitrine.key_use, vitrine.key_callers, vitrine.key_incidents TO vitrine_server;
-- This column affects the cost of a read, never its result.
GRANT UPDATE (snooze_expired) ON vitrine.tasks TO vitrine_server;
-- These functions count uses by the workspace's days, and let 'vitrine doctor' check an application's own tables.
GRANT EXECUTE ON FUNCTION vitrine.day_in_zone, vitrine.left_out TO vitrine_server;
