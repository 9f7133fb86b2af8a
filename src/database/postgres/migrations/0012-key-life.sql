-- A key can be paused, and has an end of its own while it is rotated: the end of the overlap, which leaves its expiry as it was.
ALTER TABLE vitrine.api_keys ADD COLUMN paused_at timestamptz, ADD COLUMN retires_at timestamptz;

CREATE OR REPLACE FUNCTION vitrine.keep_key() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
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
  IF OLD.retires_at <= clock_timestamp() AND (NEW.retires_at IS NULL OR NEW.retires_at > OLD.retires_at) THEN
    RAISE EXCEPTION 'a retired key stays retired; create another key instead' USING ERRCODE = 'check_violation';
  END IF;
  RETURN NEW;
END $$;

CREATE FUNCTION vitrine.check_key_times() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  fault text := CASE
    WHEN NEW.paused_at IS DISTINCT FROM OLD.paused_at AND (NEW.paused_at < '0001-01-01 00:00:00+00' OR NEW.paused_at >= '10000-01-01 00:00:00+00')
      THEN 'api_keys_paused_at_in_years_1_to_9999: paused_at must be a time in the years 1 to 9999'
    WHEN NEW.retires_at IS DISTINCT FROM OLD.retires_at AND (NEW.retires_at < '0001-01-01 00:00:00+00' OR NEW.retires_at >= '10000-01-01 00:00:00+00')
      THEN 'api_keys_retires_at_in_years_1_to_9999: retires_at must be a time in the years 1 to 9999'
  END;
BEGIN
  IF fault IS NOT NULL THEN PERFORM vitrine.refuse('api_keys', fault); END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER key_times_checked BEFORE INSERT OR UPDATE OF paused_at, retires_at ON vitrine.api_keys
  FOR EACH ROW EXECUTE FUNCTION vitrine.check_key_times();

-- How many of the requests were refused although the key was recognised.
ALTER TABLE vitrine.key_use ADD COLUMN refused bigint NOT NULL DEFAULT 0;

-- Who uses a key: its last callers. An address or an agent that is not known is empty.
CREATE TABLE vitrine.key_callers (
  key_id   text NOT NULL,
  address  text NOT NULL,
  agent    text NOT NULL,
  count    bigint NOT NULL,
  first_at timestamptz NOT NULL,
  last_at  timestamptz NOT NULL,
  PRIMARY KEY (key_id, address, agent)
);

-- A caller chooses its name, and may choose another each time: a key keeps its last 20 (MAX_CALLERS in src/database/use-recorder.ts).
-- The server's role may not delete: hence the definer's rights. One whom another replica is writing now was not seen long ago.
CREATE FUNCTION vitrine.bound_callers() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  DELETE FROM vitrine.key_callers WHERE ctid IN (
    SELECT c.ctid FROM vitrine.key_callers AS c JOIN (
      SELECT key_id, address, agent, row_number() OVER (PARTITION BY key_id ORDER BY last_at DESC, address, agent) AS place
      FROM vitrine.key_callers WHERE key_id IN (SELECT key_id FROM new_rows)
    ) AS ranked USING (key_id, address, agent)
    WHERE ranked.place > 20
    FOR UPDATE OF c SKIP LOCKED
  );
  RETURN NULL;
END $$;
CREATE TRIGGER key_callers_bounded AFTER INSERT ON vitrine.key_callers
  REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION vitrine.bound_callers();

-- Uses and incidents are counted on the days of their workspace. A zone that this server does not know is no reason to lose them.
CREATE FUNCTION vitrine.day_in_zone(moment timestamptz, zone text) RETURNS text LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  RETURN to_char(moment AT TIME ZONE coalesce(zone, 'UTC'), 'YYYY-MM-DD');
EXCEPTION WHEN invalid_parameter_value THEN
  RETURN to_char(moment AT TIME ZONE 'UTC', 'YYYY-MM-DD');
END $$;
