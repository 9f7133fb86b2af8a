-- A key that has ended stays ended, and stays the key that it is, whoever writes to this table: the server's role may set
-- revoked_at and expires_at (docs/sql/settings-writes.sql), and must not be able to bring a key back by clearing them.

CREATE FUNCTION vitrine.keep_key() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF (NEW.id, NEW.workspace_id, NEW.hash, NEW.prefix, NEW.created_at)
     IS DISTINCT FROM (OLD.id, OLD.workspace_id, OLD.hash, OLD.prefix, OLD.created_at) THEN
    RAISE EXCEPTION 'a key keeps its id, workspace, hash, prefix and time of creation; create another key instead'
      USING ERRCODE = 'check_violation';
  END IF;
  IF OLD.revoked_at IS NOT NULL AND NEW.revoked_at IS DISTINCT FROM OLD.revoked_at THEN
    RAISE EXCEPTION 'a revoked key stays revoked; create another key instead' USING ERRCODE = 'check_violation';
  END IF;
  -- By the time of day, not of the transaction's beginning: that may be before the key expired.
  IF OLD.expires_at <= clock_timestamp() AND (NEW.expires_at IS NULL OR NEW.expires_at > OLD.expires_at) THEN
    RAISE EXCEPTION 'an expired key stays expired; create another key instead' USING ERRCODE = 'check_violation';
  END IF;
  RETURN NEW;
END $$;

CREATE TRIGGER key_kept BEFORE UPDATE ON vitrine.api_keys FOR EACH ROW EXECUTE FUNCTION vitrine.keep_key();
