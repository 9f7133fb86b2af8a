-- The requests of a workspace in each hour, counted in hours since 1970: the overview need not add up those of its keys. A batch counts
-- towards the hour of its last request. `count` includes the refused ones.
CREATE TABLE vitrine.workspace_use (
  workspace_id text NOT NULL CONSTRAINT workspace_use_workspace_exists REFERENCES vitrine.workspaces (id) ON DELETE CASCADE,
  hour         bigint NOT NULL,
  count        bigint NOT NULL,
  refused      bigint NOT NULL,
  PRIMARY KEY (workspace_id, hour)
);

-- 31 days of hours, which src/keys/workspace-use.ts reads. The server's role may not delete: hence the definer's rights.
CREATE FUNCTION vitrine.bound_workspace_use() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  DELETE FROM vitrine.workspace_use WHERE workspace_id = NEW.workspace_id AND hour <= NEW.hour - 744;
  RETURN NULL;
END $$;
CREATE TRIGGER workspace_use_bounded AFTER INSERT ON vitrine.workspace_use
  FOR EACH ROW EXECUTE FUNCTION vitrine.bound_workspace_use();

-- The busiest keys of a workspace on a day.
ALTER TABLE vitrine.key_use ADD COLUMN workspace_id text;
UPDATE vitrine.key_use SET workspace_id = (SELECT k.workspace_id FROM vitrine.api_keys AS k WHERE k.id = key_id)
WHERE day >= to_char(now() AT TIME ZONE 'UTC' - interval '31 days', 'YYYY-MM-DD');
CREATE INDEX key_use_busiest ON vitrine.key_use (workspace_id, day, count) WHERE workspace_id IS NOT NULL;

-- The keys of a workspace that were seen where keys must not be.
CREATE INDEX key_incidents_seen_in ON vitrine.key_incidents (workspace_id, key_id) WHERE kind IN ('url', 'browser');

-- A day of before counts towards the hour of its last request.
INSERT INTO vitrine.workspace_use
SELECT workspace_id, hour, sum(count), sum(refused) FROM (
  SELECT workspace_id, floor(extract(epoch FROM max(last_at)) / 3600) AS hour, sum(count) AS count, sum(refused) AS refused FROM (
    SELECT workspace_id, day, last_at, count, refused FROM vitrine.key_use WHERE workspace_id IS NOT NULL
    UNION ALL SELECT workspace_id, day, last_at, count, count FROM vitrine.key_incidents
    WHERE day >= to_char(now() AT TIME ZONE 'UTC' - interval '31 days', 'YYYY-MM-DD')
      AND kind IN ('unknown', 'revoked', 'expired', 'paused', 'network', 'reused')
  ) AS counted GROUP BY workspace_id, day
) AS days WHERE workspace_id IN (SELECT id FROM vitrine.workspaces) GROUP BY workspace_id, hour ORDER BY workspace_id, hour;

-- What docs/sql/server-writes.sql grants, for the roles that it was run for already.
DO $$
DECLARE
  given record;
BEGIN
  FOR given IN
    SELECT DISTINCT grantee::regrole AS role FROM pg_class CROSS JOIN aclexplode(relacl)
    WHERE oid = 'vitrine.key_use'::regclass AND privilege_type = 'INSERT' AND grantee <> relowner AND grantee <> 0
  LOOP
    EXECUTE format('GRANT INSERT, UPDATE ON vitrine.workspace_use TO %s', given.role);
  END LOOP;
END $$;
