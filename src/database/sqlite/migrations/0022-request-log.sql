-- Requests of each key: what was asked and how it ended, never values of arguments or bodies. Its writer numbers a key's requests, and
-- names their workspace.
CREATE TABLE request_log (
  id           INTEGER PRIMARY KEY,
  workspace_id TEXT NOT NULL,
  key_id       TEXT NOT NULL,
  number       INTEGER NOT NULL DEFAULT 0,
  at           TEXT NOT NULL,
  request_id   TEXT NOT NULL,
  operation    TEXT NOT NULL,
  tool         TEXT,
  arguments    TEXT,
  -- NULL if the client disconnected.
  status       INTEGER,
  code         TEXT,
  refused      TEXT,
  outcome      TEXT NOT NULL CHECK (outcome IN ('ok', 'refused', 'failed')),
  ms           REAL NOT NULL,
  bytes        INTEGER NOT NULL,
  address      TEXT,
  agent        TEXT,
  -- How many requests of the key after this one were left out.
  omitted      INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX request_log_by_key ON request_log (key_id, id);
CREATE INDEX request_log_by_time ON request_log (workspace_id, at, id);
CREATE INDEX request_log_not_ok ON request_log (workspace_id, outcome, at, id) WHERE outcome <> 'ok';

-- A key keeps its last 1,000 requests. They are counted for every 50th, because counting costs more than inserting.
CREATE TRIGGER request_log_bounded_by_key AFTER INSERT ON request_log WHEN NEW.number % 50 = 0 BEGIN
  DELETE FROM request_log WHERE id IN (
    SELECT id FROM request_log WHERE key_id = NEW.key_id ORDER BY id DESC LIMIT -1 OFFSET 1000
  );
END;
-- Requests are kept for 7 days. Each new one removes up to two, so that no insert takes long.
CREATE TRIGGER request_log_bounded_by_age AFTER INSERT ON request_log BEGIN
  DELETE FROM request_log WHERE id IN (
    SELECT id FROM (SELECT id, at FROM request_log ORDER BY id LIMIT 2) WHERE at < strftime('%Y-%m-%dT%H:%M:%fZ', NEW.at, '-7 days')
  );
END;
-- The log keeps 500,000 requests in all. They are counted for every 10,000th.
CREATE TRIGGER request_log_bounded_in_all AFTER INSERT ON request_log WHEN NEW.id % 10000 = 0 BEGIN
  DELETE FROM request_log WHERE id IN (
    SELECT id FROM request_log ORDER BY id LIMIT max(0, (SELECT count(*) FROM request_log) - 500000)
  );
END;
