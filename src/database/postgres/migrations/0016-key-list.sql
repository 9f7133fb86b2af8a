-- The list of keys is counted, filtered and paged by statements that read this index instead of the keys.
CREATE INDEX api_keys_listed ON vitrine.api_keys (workspace_id, created_at, id, revoked_at, expires_at, retires_at, paused_at);
-- From a key to the one that took over from it.
CREATE INDEX api_keys_replacing ON vitrine.api_keys (replaces, workspace_id) WHERE replaces IS NOT NULL;
-- The last day on which any key was used: a time that the database has seen.
CREATE INDEX key_use_by_day ON vitrine.key_use (day);
-- The history of one subject.
CREATE INDEX audit_by_subject ON vitrine.audit (workspace_id, subject, at, number);

-- Keys that were seen where keys must not be.
CREATE INDEX key_incidents_seen ON vitrine.key_incidents (key_id) WHERE kind IN ('url', 'browser');
-- The workspace of its key, so that a workspace's incidents are read by time without its keys. No writer has to know it.
ALTER TABLE vitrine.key_incidents ADD COLUMN workspace_id text;
UPDATE vitrine.key_incidents i SET workspace_id = k.workspace_id FROM vitrine.api_keys k WHERE k.id = i.key_id;
CREATE INDEX key_incidents_by_time ON vitrine.key_incidents (workspace_id, last_at, id);
CREATE FUNCTION vitrine.place_incident() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  NEW.workspace_id := (SELECT k.workspace_id FROM vitrine.api_keys k WHERE k.id = NEW.key_id);
  RETURN NEW;
END $$;
REVOKE ALL ON FUNCTION vitrine.place_incident() FROM PUBLIC;
CREATE TRIGGER incident_placed BEFORE INSERT ON vitrine.key_incidents FOR EACH ROW EXECUTE FUNCTION vitrine.place_incident();
