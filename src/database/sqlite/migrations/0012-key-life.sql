-- A key can be paused, and has an end of its own while it is rotated: the end of the overlap, which leaves its expiry as it was.
ALTER TABLE api_keys ADD COLUMN paused_at TEXT;
ALTER TABLE api_keys ADD COLUMN retires_at TEXT;

CREATE TRIGGER key_stays_retired BEFORE UPDATE OF retires_at ON api_keys
WHEN OLD.retires_at <= strftime('%Y-%m-%dT%H:%M:%fZ', 'now')
  AND (NEW.retires_at IS NULL OR NEW.retires_at > OLD.retires_at)
BEGIN
  SELECT RAISE(ABORT, 'a retired key stays retired; create another key instead');
END;

CREATE TRIGGER key_inserted_times_checked BEFORE INSERT ON api_keys BEGIN
  SELECT CASE
    WHEN NEW.paused_at NOT GLOB '????-??-??T??:??:??.???Z' OR NEW.paused_at < '0001' OR (NEW.paused_at IS NOT NULL AND julianday(NEW.paused_at) IS NULL)
      OR ((substr(NEW.paused_at, 9, 2) > '28' OR substr(NEW.paused_at, 12, 2) > '23') AND strftime('%Y-%m-%dT%H:%M:%fZ', NEW.paused_at, '+0 days') IS NOT NEW.paused_at)
      THEN RAISE(ABORT, 'api_keys_paused_at_in_years_1_to_9999: paused_at must be a time in the years 1 to 9999, such as 2026-11-15T09:00:00.000Z')
    WHEN NEW.retires_at NOT GLOB '????-??-??T??:??:??.???Z' OR NEW.retires_at < '0001' OR (NEW.retires_at IS NOT NULL AND julianday(NEW.retires_at) IS NULL)
      OR ((substr(NEW.retires_at, 9, 2) > '28' OR substr(NEW.retires_at, 12, 2) > '23') AND strftime('%Y-%m-%dT%H:%M:%fZ', NEW.retires_at, '+0 days') IS NOT NEW.retires_at)
      THEN RAISE(ABORT, 'api_keys_retires_at_in_years_1_to_9999: retires_at must be a time in the years 1 to 9999, such as 2026-11-15T09:00:00.000Z')
  END;
END;
CREATE TRIGGER key_updated_times_checked BEFORE UPDATE OF paused_at, retires_at ON api_keys BEGIN
  SELECT CASE
    WHEN NEW.paused_at IS NOT OLD.paused_at AND (NEW.paused_at NOT GLOB '????-??-??T??:??:??.???Z' OR NEW.paused_at < '0001' OR (NEW.paused_at IS NOT NULL AND julianday(NEW.paused_at) IS NULL)
      OR ((substr(NEW.paused_at, 9, 2) > '28' OR substr(NEW.paused_at, 12, 2) > '23') AND strftime('%Y-%m-%dT%H:%M:%fZ', NEW.paused_at, '+0 days') IS NOT NEW.paused_at))
      THEN RAISE(ABORT, 'api_keys_paused_at_in_years_1_to_9999: paused_at must be a time in the years 1 to 9999, such as 2026-11-15T09:00:00.000Z')
    WHEN NEW.retires_at IS NOT OLD.retires_at AND (NEW.retires_at NOT GLOB '????-??-??T??:??:??.???Z' OR NEW.retires_at < '0001' OR (NEW.retires_at IS NOT NULL AND julianday(NEW.retires_at) IS NULL)
      OR ((substr(NEW.retires_at, 9, 2) > '28' OR substr(NEW.retires_at, 12, 2) > '23') AND strftime('%Y-%m-%dT%H:%M:%fZ', NEW.retires_at, '+0 days') IS NOT NEW.retires_at))
      THEN RAISE(ABORT, 'api_keys_retires_at_in_years_1_to_9999: retires_at must be a time in the years 1 to 9999, such as 2026-11-15T09:00:00.000Z')
  END;
END;

-- How many of the requests were refused although the key was recognised.
ALTER TABLE key_use ADD COLUMN refused INTEGER NOT NULL DEFAULT 0;

-- Who uses a key: its last callers. An address or an agent that is not known is empty.
CREATE TABLE key_callers (
  key_id   TEXT NOT NULL,
  address  TEXT NOT NULL,
  agent    TEXT NOT NULL,
  count    INTEGER NOT NULL,
  first_at TEXT NOT NULL,
  last_at  TEXT NOT NULL,
  PRIMARY KEY (key_id, address, agent)
) STRICT, WITHOUT ROWID;

-- A caller chooses its name, and may choose another each time: a key keeps its last 20 (MAX_CALLERS in src/database/use-recorder.ts).
CREATE TRIGGER key_callers_bounded AFTER INSERT ON key_callers BEGIN
  DELETE FROM key_callers WHERE key_id = NEW.key_id AND (address, agent) IN (
    SELECT address, agent FROM key_callers WHERE key_id = NEW.key_id ORDER BY last_at DESC, address, agent LIMIT -1 OFFSET 20
  );
END;
