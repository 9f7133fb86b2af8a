-- What outlives the request log is state of its key: the last request that was not refused, the last refusal, and where it leaked.
ALTER TABLE api_keys ADD COLUMN last_used_at TEXT;
ALTER TABLE api_keys ADD COLUMN last_refused_at TEXT;
ALTER TABLE api_keys ADD COLUMN last_refusal TEXT;
ALTER TABLE api_keys ADD COLUMN leaked_at TEXT;
ALTER TABLE api_keys ADD COLUMN leaked_in TEXT CHECK (leaked_in IN ('url', 'browser'));
UPDATE api_keys SET last_used_at = (SELECT max(last_at) FROM key_use WHERE key_id = api_keys.id AND count > refused);
UPDATE api_keys SET (last_refused_at, last_refusal) = (
  SELECT last_at, CASE kind WHEN 'unknown' THEN 'damaged' ELSE kind END FROM key_incidents
  WHERE key_id = api_keys.id AND kind <> 'url' ORDER BY last_at DESC, kind LIMIT 1);
UPDATE api_keys SET (leaked_at, leaked_in) = (
  SELECT last_at, kind FROM key_incidents WHERE key_id = api_keys.id AND kind IN ('url', 'browser') ORDER BY last_at DESC, kind LIMIT 1);
CREATE INDEX api_keys_leaked ON api_keys (workspace_id, leaked_at) WHERE leaked_at IS NOT NULL;
CREATE INDEX api_keys_refused ON api_keys (workspace_id, last_refused_at) WHERE last_refused_at IS NOT NULL;

-- The daily sums of the request log. `refused` is the reason, empty for requests that were not refused.
ALTER TABLE key_use RENAME TO key_use_before;
CREATE TABLE key_use (
  key_id  TEXT NOT NULL,
  day     TEXT NOT NULL,
  refused TEXT NOT NULL,
  count   INTEGER NOT NULL,
  PRIMARY KEY (key_id, day, refused)
) STRICT, WITHOUT ROWID;
INSERT INTO key_use SELECT key_id, day, '', count - refused FROM key_use_before WHERE count > refused;
INSERT INTO key_use SELECT key_id, day, CASE kind WHEN 'unknown' THEN 'damaged' ELSE kind END, count
  FROM key_incidents WHERE kind NOT IN ('url', 'browser');
DROP TABLE key_use_before;
-- The last day on which any key was used: a time that the database has seen.
CREATE INDEX key_use_by_day ON key_use (day);

DROP TRIGGER workspace_use_workspace_deleted;
DROP TABLE workspace_use;
DROP TABLE key_callers;
DROP TABLE key_incidents;
ALTER TABLE notice_settings RENAME COLUMN incidents_seen TO refusals_seen;
