-- The list of keys is counted, filtered and paged by statements that read this index instead of the keys.
CREATE INDEX api_keys_listed ON api_keys (workspace_id, created_at, id, revoked_at, expires_at, retires_at, paused_at);
-- From a key to the one that took over from it.
CREATE INDEX api_keys_replacing ON api_keys (replaces, workspace_id) WHERE replaces IS NOT NULL;
-- The last day on which any key was used: a time that the database has seen.
CREATE INDEX key_use_by_day ON key_use (day);
-- The history of one subject.
CREATE INDEX audit_by_subject ON audit (workspace_id, subject, at, number);

-- Keys that were seen where keys must not be.
CREATE INDEX key_incidents_seen ON key_incidents (key_id) WHERE kind IN ('url', 'browser');
-- The workspace of its key, so that a workspace's incidents are read by time without its keys. No writer has to know it.
ALTER TABLE key_incidents ADD COLUMN workspace_id TEXT;
UPDATE key_incidents SET workspace_id = (SELECT workspace_id FROM api_keys WHERE id = key_incidents.key_id);
CREATE INDEX key_incidents_by_time ON key_incidents (workspace_id, last_at, id);
CREATE TRIGGER incident_placed AFTER INSERT ON key_incidents WHEN NEW.workspace_id IS NULL BEGIN
  UPDATE key_incidents SET workspace_id = (SELECT workspace_id FROM api_keys WHERE id = NEW.key_id) WHERE id = NEW.id;
END;
