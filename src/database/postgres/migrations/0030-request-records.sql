-- What outlives the request log is state of its key: the last request that was not refused, the last refusal, and where it leaked.
ALTER TABLE vitrine.api_keys ADD COLUMN last_used_at timestamptz, ADD COLUMN last_refused_at timestamptz, ADD COLUMN last_refusal text,
  ADD COLUMN leaked_at timestamptz, ADD COLUMN leaked_in text CHECK (leaked_in IN ('url', 'browser'));
UPDATE vitrine.api_keys AS k SET
  last_used_at = (SELECT max(last_at) FROM vitrine.key_use WHERE key_id = k.id AND count > refused),
  (last_refused_at, last_refusal) = (
    SELECT last_at, CASE kind WHEN 'unknown' THEN 'damaged' ELSE kind END FROM vitrine.key_incidents
    WHERE key_id = k.id AND kind <> 'url' ORDER BY last_at DESC, kind LIMIT 1),
  (leaked_at, leaked_in) = (
    SELECT last_at, kind FROM vitrine.key_incidents
    WHERE key_id = k.id AND kind IN ('url', 'browser') ORDER BY last_at DESC, kind LIMIT 1);
CREATE INDEX api_keys_leaked ON vitrine.api_keys (workspace_id, leaked_at) WHERE leaked_at IS NOT NULL;
CREATE INDEX api_keys_refused ON vitrine.api_keys (workspace_id, last_refused_at) WHERE last_refused_at IS NOT NULL;

-- The daily sums of the request log. `refused` is the reason, empty for requests that were not refused.
ALTER TABLE vitrine.key_use RENAME COLUMN refused TO refusals;
ALTER TABLE vitrine.key_use ADD COLUMN refused text NOT NULL DEFAULT '';
ALTER TABLE vitrine.key_use ALTER COLUMN refused DROP DEFAULT, DROP CONSTRAINT key_use_pkey, DROP COLUMN first_at, DROP COLUMN first_client,
  DROP COLUMN last_at, DROP COLUMN last_client, DROP COLUMN workspace_id;
UPDATE vitrine.key_use SET count = count - refusals;
DELETE FROM vitrine.key_use WHERE count = 0;
ALTER TABLE vitrine.key_use DROP COLUMN refusals;
INSERT INTO vitrine.key_use (key_id, day, refused, count)
  SELECT key_id, day, CASE kind WHEN 'unknown' THEN 'damaged' ELSE kind END, count
  FROM vitrine.key_incidents WHERE kind NOT IN ('url', 'browser');
ALTER TABLE vitrine.key_use ADD PRIMARY KEY (key_id, day, refused);

-- A role that could remove callers may remove old requests, which have them now.
DO $$
DECLARE
  role regrole;
BEGIN
  FOR role IN SELECT grantee FROM pg_class, aclexplode(relacl)
    WHERE oid = 'vitrine.key_callers'::regclass AND privilege_type = 'DELETE' AND grantee NOT IN (0, relowner) LOOP
    EXECUTE format('GRANT DELETE ON vitrine.request_log TO %s', role);
  END LOOP;
END $$;
DROP TABLE vitrine.workspace_use, vitrine.key_callers, vitrine.key_incidents;
DROP FUNCTION vitrine.bound_workspace_use, vitrine.bound_callers, vitrine.place_incident;
ALTER TABLE vitrine.notice_settings RENAME COLUMN incidents_seen TO refusals_seen;

-- What docs/sql/server-writes.sql grants, for the roles that it was run for already.
DO $$
DECLARE
  role regrole;
BEGIN
  FOR role IN SELECT grantee FROM pg_class, aclexplode(relacl)
    WHERE oid = 'vitrine.key_use'::regclass AND privilege_type = 'INSERT' AND grantee NOT IN (0, relowner) LOOP
    EXECUTE format('GRANT UPDATE (last_used_at, last_refused_at, last_refusal, leaked_at, leaked_in) ON vitrine.api_keys TO %s', role);
  END LOOP;
END $$;
