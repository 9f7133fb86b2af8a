-- A key that has ended stays ended, and stays the key that it is, whoever writes to this table.

CREATE TRIGGER key_kept BEFORE UPDATE ON api_keys
WHEN NEW.id <> OLD.id OR NEW.workspace_id <> OLD.workspace_id OR NEW.hash <> OLD.hash OR NEW.prefix <> OLD.prefix
  OR NEW.created_at <> OLD.created_at
BEGIN
  SELECT RAISE(ABORT, 'a key keeps its id, workspace, hash, prefix and time of creation; create another key instead');
END;

CREATE TRIGGER key_stays_revoked BEFORE UPDATE OF revoked_at ON api_keys
WHEN OLD.revoked_at IS NOT NULL AND NEW.revoked_at IS NOT OLD.revoked_at
BEGIN
  SELECT RAISE(ABORT, 'a revoked key stays revoked; create another key instead');
END;

CREATE TRIGGER key_stays_expired BEFORE UPDATE OF expires_at ON api_keys
WHEN OLD.expires_at <= strftime('%Y-%m-%dT%H:%M:%fZ', 'now')
  AND (NEW.expires_at IS NULL OR NEW.expires_at > OLD.expires_at)
BEGIN
  SELECT RAISE(ABORT, 'an expired key stays expired; create another key instead');
END;

-- INSERT OR REPLACE would remove the row that is there without an update.
CREATE TRIGGER key_not_replaced BEFORE INSERT ON api_keys
WHEN EXISTS (SELECT 1 FROM api_keys WHERE id = NEW.id) OR EXISTS (SELECT 1 FROM api_keys WHERE hash = NEW.hash)
BEGIN
  SELECT RAISE(ABORT, 'a key with this id or hash exists already');
END;
