-- The requests of a workspace in each hour, counted in hours since 1970: the overview need not add up those of its keys. A batch counts
-- towards the hour of its last request. `count` includes the refused ones.
CREATE TABLE workspace_use (
  workspace_id TEXT NOT NULL,
  hour         INTEGER NOT NULL,
  count        INTEGER NOT NULL,
  refused      INTEGER NOT NULL,
  PRIMARY KEY (workspace_id, hour)
) STRICT, WITHOUT ROWID;

-- 31 days of hours, which src/keys/workspace-use.ts reads.
CREATE TRIGGER workspace_use_bounded AFTER INSERT ON workspace_use BEGIN
  DELETE FROM workspace_use WHERE workspace_id = NEW.workspace_id AND hour <= NEW.hour - 744;
END;
CREATE TRIGGER workspace_use_workspace_deleted AFTER DELETE ON workspaces BEGIN
  DELETE FROM workspace_use WHERE workspace_id = OLD.id;
END;

-- The busiest keys of a workspace on a day.
ALTER TABLE key_use ADD COLUMN workspace_id TEXT;
UPDATE key_use SET workspace_id = (SELECT workspace_id FROM api_keys WHERE id = key_id) WHERE day >= date('now', '-31 days');
CREATE INDEX key_use_busiest ON key_use (workspace_id, day, count) WHERE workspace_id IS NOT NULL;

-- The keys of a workspace that were seen where keys must not be.
CREATE INDEX key_incidents_seen_in ON key_incidents (workspace_id, key_id) WHERE kind IN ('url', 'browser');

-- A day of before counts towards the hour of its last request.
INSERT INTO workspace_use
SELECT workspace_id, hour, sum(count), sum(refused) FROM (
  SELECT workspace_id, unixepoch(max(last_at)) / 3600 AS hour, sum(count) AS count, sum(refused) AS refused FROM (
    SELECT workspace_id, day, last_at, count, refused FROM key_use WHERE workspace_id IS NOT NULL
    UNION ALL SELECT workspace_id, day, last_at, count, count FROM key_incidents
    WHERE day >= date('now', '-31 days') AND kind IN ('unknown', 'revoked', 'expired', 'paused', 'network', 'reused')
  ) GROUP BY workspace_id, day
) WHERE workspace_id IN (SELECT id FROM workspaces) GROUP BY workspace_id, hour ORDER BY workspace_id, hour;
