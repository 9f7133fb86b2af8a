-- The server's role may count requests and record the use, the callers and the refusals of keys, nothing else. Run as the
-- operator's role, after 'vitrine migrate'; again after an update that adds to this list.
GRANT INSERT, UPDATE ON vitrine.quota_windows, vitrine.key_use, vitrine.key_callers, vitrine.key_incidents TO vitrine_server;
-- This column changes what a read costs, and never its result.
GRANT UPDATE (snooze_expired) ON vitrine.tasks TO vitrine_server;
-- What counts uses by the days of their workspace, and what 'vitrine doctor' asks of an application's own tables.
GRANT EXECUTE ON FUNCTION vitrine.day_in_zone, vitrine.left_out TO vitrine_server;
