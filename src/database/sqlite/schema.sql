-- The schema of a new database. Instants are texts such as 2026-11-15T09:00:00.000Z, whose order is that of time.
--
-- Only Vitrine's own commands write here, and they check every value. Triggers keep ended keys ended and audit entries unchanged, and do
-- what foreign keys would do: SQLite enforces those only on connections that ask for it.
PRAGMA application_id = 0x5654524e; -- "VTRN", so that no other program's database is ever migrated by mistake.
PRAGMA user_version = 100;

CREATE TABLE workspaces (
  id            TEXT PRIMARY KEY,
  slug          TEXT NOT NULL UNIQUE,
  name          TEXT NOT NULL,
  timezone      TEXT,
  currency_code TEXT,
  country_code  TEXT,
  created_at    TEXT NOT NULL,
  archived_at   TEXT
) STRICT, WITHOUT ROWID;

-- Every write to a workspace or its lists moves its revision: see moveRevision in src/database/statements.ts. It outlives its workspace,
-- so a workspace that is deleted and created again is never mistaken for its former self.
CREATE TABLE revisions (
  workspace_id TEXT PRIMARY KEY,
  number       INTEGER NOT NULL,
  -- What changed after this revision is known.
  known_from   INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;

-- Members and what they sign in with.

CREATE TABLE members (
  workspace_id TEXT NOT NULL,
  email        TEXT NOT NULL,
  role         TEXT NOT NULL CHECK (role IN ('owner', 'admin', 'member')),
  added_at     TEXT NOT NULL,
  signed_in_at TEXT,
  PRIMARY KEY (workspace_id, email)
) STRICT, WITHOUT ROWID;
CREATE INDEX members_by_email ON members (email);
CREATE TRIGGER member_inserted_checked BEFORE INSERT ON members
WHEN NOT EXISTS (SELECT 1 FROM workspaces WHERE id = NEW.workspace_id) BEGIN
  SELECT RAISE(ABORT, 'members_workspace_exists: workspace_id must be the id of a workspace that exists');
END;
CREATE TRIGGER members_workspace_deleted AFTER DELETE ON workspaces BEGIN
  DELETE FROM members WHERE workspace_id = OLD.id;
END;

CREATE TABLE sessions (
  hash         TEXT PRIMARY KEY,
  email        TEXT NOT NULL,
  started_at   TEXT NOT NULL,
  seen_at      TEXT NOT NULL,
  -- The only workspace that the session reaches. Null: all of the person's.
  workspace_id TEXT,
  -- Who created the link that opened the session, and those through whose links its creator was signed in, separated by spaces.
  link_by      TEXT,
  -- For its person, such as `Firefox on Linux, 203.0.113.0/24`.
  device       TEXT
) STRICT, WITHOUT ROWID;
CREATE INDEX sessions_of_email ON sessions (email);

-- What works once: sign-in links, visits to an identity provider, and forms that must not be sent twice.
CREATE TABLE tickets (
  hash       TEXT PRIMARY KEY,
  kind       TEXT NOT NULL,
  subject    TEXT NOT NULL,
  detail     TEXT NOT NULL,
  expires_at TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX tickets_by_end ON tickets (expires_at);

-- A person's passkeys (WebAuthn). They reach what the session reached in which they were added.
CREATE TABLE passkeys (
  -- The credential's id, chosen by the authenticator, in base64url.
  id           TEXT PRIMARY KEY,
  email        TEXT NOT NULL,
  name         TEXT NOT NULL,
  -- A COSE key in base64url.
  public_key   TEXT NOT NULL,
  -- The authenticator's count of signatures, which never falls unless the key was copied. 0 if it does not count.
  counter      INTEGER NOT NULL,
  created_at   TEXT NOT NULL,
  used_at      TEXT,
  workspace_id TEXT,
  link_by      TEXT
) STRICT, WITHOUT ROWID;
CREATE INDEX passkeys_of_email ON passkeys (email);

-- Keys. They outlive their workspace.

CREATE TABLE api_keys (
  id                  TEXT PRIMARY KEY,
  workspace_id        TEXT NOT NULL,
  hash                TEXT NOT NULL UNIQUE,
  prefix              TEXT NOT NULL,
  label               TEXT NOT NULL,
  permissions         TEXT NOT NULL,
  rate_limit          INTEGER,
  rate_window_seconds INTEGER,
  -- In CIDR notation, separated by commas. Null: all.
  networks            TEXT,
  -- The rows that the key is limited to, as JSON: see src/lists/only.ts. Null: all.
  only_rows           TEXT,
  created_by          TEXT NOT NULL,
  created_at          TEXT NOT NULL,
  expires_at          TEXT,
  paused_at           TEXT,
  -- The end of the overlap while the key is rotated.
  retires_at          TEXT,
  revoked_at          TEXT,
  replaces            TEXT,
  -- Set if a person gave the key to a program by signing in. Its tokens are in connection_tokens, and the host receives them.
  client_id           TEXT,
  client_host         TEXT,
  -- What outlives the request log: the last request that was not refused, the last refusal, and where the key leaked.
  last_used_at        TEXT,
  last_refused_at     TEXT,
  last_refusal        TEXT,
  leaked_at           TEXT,
  leaked_in           TEXT CHECK (leaked_in IN ('url', 'browser'))
) STRICT, WITHOUT ROWID;
CREATE INDEX api_keys_by_prefix ON api_keys (prefix);
-- The list of keys is counted, filtered and paged by statements that read this index instead of the keys.
CREATE INDEX api_keys_listed ON api_keys (workspace_id, created_at, id, revoked_at, expires_at, retires_at, paused_at);
CREATE INDEX api_keys_by_expiry ON api_keys (workspace_id, expires_at) WHERE expires_at IS NOT NULL AND revoked_at IS NULL;
CREATE INDEX api_keys_replacing ON api_keys (replaces, workspace_id) WHERE replaces IS NOT NULL;
CREATE INDEX api_keys_leaked ON api_keys (workspace_id, leaked_at) WHERE leaked_at IS NOT NULL;
CREATE INDEX api_keys_refused ON api_keys (workspace_id, last_refused_at) WHERE last_refused_at IS NOT NULL;

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
CREATE TRIGGER key_stays_retired BEFORE UPDATE OF retires_at ON api_keys
WHEN OLD.retires_at <= strftime('%Y-%m-%dT%H:%M:%fZ', 'now')
  AND (NEW.retires_at IS NULL OR NEW.retires_at > OLD.retires_at)
BEGIN
  SELECT RAISE(ABORT, 'a retired key stays retired; create another key instead');
END;
-- INSERT OR REPLACE would remove the existing row without an update.
CREATE TRIGGER key_not_replaced BEFORE INSERT ON api_keys
WHEN EXISTS (SELECT 1 FROM api_keys WHERE id = NEW.id) OR EXISTS (SELECT 1 FROM api_keys WHERE hash = NEW.hash)
BEGIN
  SELECT RAISE(ABORT, 'a key with this id or hash exists already');
END;

CREATE TABLE connection_tokens (
  hash        TEXT PRIMARY KEY,
  key_id      TEXT NOT NULL,
  -- A code is stored only after its use, to notice a second one.
  kind        TEXT NOT NULL CHECK (kind IN ('code', 'access', 'refresh')),
  expires_at  TEXT NOT NULL,
  -- When a refresh token was exchanged for the next, and the salt from which, with the token itself, the next can be derived again.
  replaced_at TEXT,
  salt        TEXT
) STRICT, WITHOUT ROWID;
CREATE INDEX connection_tokens_by_key ON connection_tokens (key_id, expires_at);
CREATE INDEX connection_tokens_by_end ON connection_tokens (expires_at);

-- The daily sums of the request log. `refused` is the reason, empty for requests that were not refused.
CREATE TABLE key_use (
  key_id  TEXT NOT NULL,
  day     TEXT NOT NULL,
  refused TEXT NOT NULL,
  count   INTEGER NOT NULL,
  PRIMARY KEY (key_id, day, refused)
) STRICT, WITHOUT ROWID;
-- The last day on which any key was used: a time that the database has seen.
CREATE INDEX key_use_by_day ON key_use (day);

-- What each key requested and how it ended, never values of arguments or bodies. Its writer numbers a key's requests, and names their
-- workspace.
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
  -- Null if the client disconnected.
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
-- What the log has over 500,000 requests: the oldest of each workspace that has more than its share. The share is the largest number
-- with which all fit, so a busy workspace takes nothing from others. If the workspaces are numbered by size, from 0, it is the
-- largest quotient of what the smaller ones leave free, and the number of those that are not smaller.
CREATE VIEW request_log_excess AS
WITH sizes AS MATERIALIZED (
  SELECT workspace_id, count(*) AS size FROM request_log
  WHERE (SELECT count(*) FROM request_log) > 500000 GROUP BY workspace_id
), numbered AS (
  SELECT size, count(*) OVER () AS workspaces, row_number() OVER smaller - 1 AS number, sum(size) OVER smaller - size AS taken
  FROM sizes WINDOW smaller AS (ORDER BY size ROWS UNBOUNDED PRECEDING)
), shares AS MATERIALIZED (
  SELECT max((500000 - taken) / (workspaces - number)) AS share FROM numbered
), newest AS MATERIALIZED (
  SELECT workspace_id AS workspace, (
    SELECT id FROM request_log WHERE workspace_id = sizes.workspace_id ORDER BY at DESC, id DESC
    LIMIT 1 OFFSET (SELECT share FROM shares)
  ) AS newest_id
  FROM sizes, shares WHERE size > share
)
SELECT r.id FROM newest CROSS JOIN request_log AS n ON n.id = newest_id
CROSS JOIN request_log AS r ON r.workspace_id = workspace AND (r.at, r.id) <= (n.at, n.id);
-- Counted for every 10,000th request.
CREATE TRIGGER request_log_bounded_in_all AFTER INSERT ON request_log WHEN NEW.id % 10000 = 0 BEGIN
  DELETE FROM request_log WHERE id IN (SELECT id FROM request_log_excess);
END;

-- The audit log outlives its workspace, too. Each entry has a hash of itself and of the entry before it: see docs/audit.md.

CREATE TABLE audit (
  id            INTEGER PRIMARY KEY,
  at            TEXT NOT NULL,
  workspace_id  TEXT NOT NULL,
  actor         TEXT NOT NULL,
  action        TEXT NOT NULL,
  subject       TEXT NOT NULL,
  detail        TEXT NOT NULL,
  number        INTEGER NOT NULL,
  previous_hash TEXT NOT NULL,
  hash          TEXT NOT NULL,
  UNIQUE (workspace_id, number)
) STRICT;
CREATE INDEX audit_by_time ON audit (workspace_id, at, number);
CREATE INDEX audit_by_subject ON audit (workspace_id, subject, at, number);

CREATE TABLE audit_heads (
  workspace_id   TEXT PRIMARY KEY,
  number         INTEGER NOT NULL,
  hash           TEXT NOT NULL,
  -- The chain begins after this entry, if older ones were removed.
  trimmed_number INTEGER NOT NULL DEFAULT 0,
  trimmed_hash   TEXT NOT NULL DEFAULT '0000000000000000000000000000000000000000000000000000000000000000'
) STRICT, WITHOUT ROWID;

CREATE TRIGGER audit_unchanging BEFORE UPDATE ON audit BEGIN
  SELECT RAISE(ABORT, 'audit entries are never changed');
END;
CREATE TRIGGER audit_kept BEFORE DELETE ON audit
WHEN OLD.number > coalesce((SELECT trimmed_number FROM audit_heads WHERE workspace_id = OLD.workspace_id), 0) BEGIN
  SELECT RAISE(ABORT, 'audit entries are never removed before their chain is trimmed');
END;
-- An entry follows the head of its chain, and becomes it. A copied chain gets its head last.
CREATE TRIGGER audit_following AFTER INSERT ON audit BEGIN
  SELECT RAISE(ABORT, 'an audit entry must follow the last one of its chain') FROM audit_heads
  WHERE workspace_id = NEW.workspace_id AND (number, hash) <> (NEW.number - 1, NEW.previous_hash);
  UPDATE audit_heads SET number = NEW.number, hash = NEW.hash WHERE workspace_id = NEW.workspace_id;
END;
CREATE TRIGGER audit_head_last BEFORE UPDATE OF workspace_id, number, hash ON audit_heads
WHEN (NEW.number, NEW.hash) IS NOT (
  SELECT number, hash FROM audit WHERE workspace_id = NEW.workspace_id ORDER BY number DESC LIMIT 1
) BEGIN
  SELECT RAISE(ABORT, 'the head of an audit chain can only become its last entry');
END;

-- Lists.

-- The definition of each resource that an operator declares, as it was last migrated. Its file may be removed after the sunset.
CREATE TABLE declared_resources (
  name       TEXT PRIMARY KEY,
  state      TEXT NOT NULL CHECK (state IN ('draft', 'published')),
  definition TEXT NOT NULL,
  -- Where the definition was last migrated from, to tell an operator who no longer sets RESOURCES.
  file       TEXT,
  sunset     TEXT
) STRICT, WITHOUT ROWID;

-- For which definition the rows of each list were stored: see src/lists/stored/reshape.ts.
CREATE TABLE stored_lists (
  workspace_id TEXT NOT NULL,
  list         TEXT NOT NULL,
  shape        TEXT NOT NULL,
  last_seq     INTEGER NOT NULL,
  -- How many rows have a place in its order: those that it shows now or later.
  placed       INTEGER NOT NULL DEFAULT 0,
  -- As in revisions, where older traces were removed.
  known_from   INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (workspace_id, list)
) STRICT, WITHOUT ROWID;

-- The rows of all lists: see src/lists/item.ts. `words` come before `body`, so that a search reads no more than it must.
CREATE TABLE list_items (
  workspace_id TEXT NOT NULL,
  list         TEXT NOT NULL,
  id           TEXT NOT NULL,
  seq          INTEGER NOT NULL,
  source       TEXT,
  revision     INTEGER NOT NULL,
  sort_key     TEXT,
  shown_from   INTEGER,
  words        TEXT,
  body         TEXT NOT NULL,
  rest         TEXT,
  PRIMARY KEY (workspace_id, list, id)
) STRICT;
CREATE INDEX list_items_in_order ON list_items (workspace_id, list, sort_key, seq, shown_from) WHERE sort_key IS NOT NULL;
CREATE INDEX list_items_shown_later ON list_items (workspace_id, list, shown_from, seq) WHERE shown_from IS NOT NULL;
CREATE INDEX list_items_by_revision ON list_items (workspace_id, list, revision, seq) WHERE sort_key IS NOT NULL;

-- What rows were before a revision that took them out of the results of some question: see src/lists/stored/traces.ts.
CREATE TABLE list_traces (
  workspace_id TEXT NOT NULL,
  list         TEXT NOT NULL,
  revision     INTEGER NOT NULL,
  id           TEXT NOT NULL,
  shown_from   INTEGER,
  -- The JSON of the fields that filters compare.
  filtered     TEXT NOT NULL,
  PRIMARY KEY (workspace_id, list, revision, id)
) STRICT, WITHOUT ROWID;
CREATE TRIGGER list_items_workspace_deleted AFTER DELETE ON workspaces BEGIN
  DELETE FROM list_items WHERE workspace_id = OLD.id;
  DELETE FROM list_traces WHERE workspace_id = OLD.id;
  DELETE FROM stored_lists WHERE workspace_id = OLD.id;
END;

-- Where rows are synced from, and the outcome.
CREATE TABLE sources (
  workspace_id  TEXT NOT NULL,
  list          TEXT NOT NULL,
  name          TEXT NOT NULL
    CHECK (length(name) BETWEEN 1 AND 64 AND name GLOB '[a-z0-9]*' AND name NOT GLOB '*[^a-z0-9._-]*'),
  created_at    TEXT NOT NULL,
  -- The last success, even if the snapshot changed nothing. Null before the first.
  synced_at     TEXT,
  attempted_at  TEXT,
  -- Null unless the last attempt failed: then the first of the failures in a row, their number, and the reason of the last one.
  failing_since TEXT,
  failure       TEXT CHECK (length(failure) <= 500),
  failures      INTEGER NOT NULL DEFAULT 0,
  -- Null unless it is synced regularly.
  every_seconds INTEGER,
  -- For people to read: a file, stdin, or a URL without its secrets.
  location      TEXT CHECK (length(location) <= 500),
  row_count     INTEGER,
  PRIMARY KEY (workspace_id, list, name)
) STRICT, WITHOUT ROWID;
CREATE TRIGGER source_inserted_checked BEFORE INSERT ON sources
WHEN NOT EXISTS (SELECT 1 FROM workspaces WHERE id = NEW.workspace_id) BEGIN
  SELECT RAISE(ABORT, 'sources_workspace_exists: workspace_id must be the id of a workspace that exists');
END;
CREATE TRIGGER sources_workspace_deleted AFTER DELETE ON workspaces BEGIN
  DELETE FROM sources WHERE workspace_id = OLD.id;
END;

-- Notices.

-- Which events a workspace's owners are notified of, and where. A workspace without a row has no notices.
CREATE TABLE notice_settings (
  workspace_id    TEXT PRIMARY KEY,
  -- Separated by spaces.
  kinds           TEXT NOT NULL,
  webhook_url     TEXT,
  -- Signs each webhook, so it is stored as it is.
  webhook_secret  TEXT,
  unsubscribe_key TEXT NOT NULL,
  -- How far the audit log, the refusals and the keys' expiries have been read.
  audit_seen      INTEGER NOT NULL,
  refusals_seen   TEXT NOT NULL,
  expiries_seen   TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- Members who get mail. The hash is that of the token in their unsubscribe link.
CREATE TABLE notice_recipients (
  workspace_id TEXT NOT NULL,
  email        TEXT NOT NULL,
  token_hash   TEXT NOT NULL UNIQUE,
  PRIMARY KEY (workspace_id, email)
) STRICT, WITHOUT ROWID;

CREATE TABLE notice_events (
  workspace_id TEXT NOT NULL,
  -- The same event has the same id, however often it is detected.
  id           TEXT NOT NULL,
  kind         TEXT NOT NULL,
  at           TEXT NOT NULL,
  text         TEXT NOT NULL,
  -- Where it is shown: a path of the settings page.
  path         TEXT NOT NULL,
  -- Null until it is part of a message.
  message_id   TEXT,
  PRIMARY KEY (workspace_id, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX notice_events_by_message ON notice_events (message_id, workspace_id);
CREATE INDEX notice_events_by_time ON notice_events (workspace_id, at);

-- One message to one recipient: a member by mail, or the webhook if it is null.
CREATE TABLE notice_deliveries (
  id           TEXT PRIMARY KEY,
  message_id   TEXT NOT NULL,
  workspace_id TEXT NOT NULL,
  recipient    TEXT,
  created_at   TEXT NOT NULL,
  state        TEXT NOT NULL DEFAULT 'waiting' CHECK (state IN ('waiting', 'sent', 'failed', 'dropped')),
  attempts     INTEGER NOT NULL DEFAULT 0,
  -- When it may be attempted next. An attempt moves it ahead, so that no one else sends it meanwhile.
  next_at      TEXT NOT NULL,
  ended_at     TEXT,
  reason       TEXT
) STRICT, WITHOUT ROWID;
CREATE INDEX notice_deliveries_due ON notice_deliveries (next_at) WHERE state = 'waiting';
CREATE INDEX notice_deliveries_by_time ON notice_deliveries (workspace_id, created_at);

CREATE TRIGGER workspace_notices_deleted AFTER DELETE ON workspaces BEGIN
  DELETE FROM notice_settings WHERE workspace_id = OLD.id;
  DELETE FROM notice_recipients WHERE workspace_id = OLD.id;
  DELETE FROM notice_events WHERE workspace_id = OLD.id;
  DELETE FROM notice_deliveries WHERE workspace_id = OLD.id;
END;
CREATE TRIGGER member_notices_deleted AFTER DELETE ON members BEGIN
  DELETE FROM notice_recipients WHERE workspace_id = OLD.workspace_id AND email = OLD.email;
  DELETE FROM notice_deliveries WHERE workspace_id = OLD.workspace_id AND recipient = OLD.email;
END;
