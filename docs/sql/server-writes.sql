-- ... and it may count requests and record the use and the refusals of keys, nothing else. Run as the operator's role,
-- after 'vitrine migrate'; again after an update that adds to this list.
GRANT INSERT, UPDATE ON vitrine.quota_windows, vitrine.key_use, vitrine.key_incidents TO vitrine_server;
-- A mark changes what a read costs, and never what it answers.
GRANT UPDATE (snooze_expired) ON vitrine.tasks TO vitrine_server;
