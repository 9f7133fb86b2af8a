-- Instants are kept as text in the one form 2026-11-15T09:00:00.000Z, whose order as text is its order in time and
-- which is also the form in which they are answered.

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

-- The revision of a workspace moves with any change to it or to its tasks, whoever makes it: hence the triggers. It
-- outlives its workspace, so that a workspace deleted and made again is never mistaken for its former self.
CREATE TABLE revisions (
  workspace_id TEXT PRIMARY KEY,
  number       INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE tasks (
  seq               INTEGER PRIMARY KEY,
  workspace_id      TEXT NOT NULL,
  id                TEXT NOT NULL,
  title             TEXT NOT NULL,
  details           TEXT,
  due_at            TEXT CHECK (due_at GLOB '????-??-??T??:??:??.???Z'),
  book_key          TEXT,
  assignee_name     TEXT,
  assignee_email    TEXT,
  source_session_id TEXT,
  source_title      TEXT,
  source_summary    TEXT,
  source_kind       TEXT,
  status            TEXT NOT NULL DEFAULT 'open' CHECK (status IN ('open', 'completed', 'cancelled')),
  snoozed_until     TEXT CHECK (snoozed_until GLOB '????-??-??T??:??:??.???Z'),
  created_at        TEXT NOT NULL,
  UNIQUE (workspace_id, id)
) STRICT;

-- Why so many: current-tasks.ts says which question each of them answers.
CREATE INDEX tasks_awake ON tasks (workspace_id, due_at IS NULL, due_at, seq)
  WHERE status = 'open' AND snoozed_until IS NULL;
CREATE INDEX tasks_asleep ON tasks (workspace_id, snoozed_until)
  WHERE status = 'open' AND snoozed_until IS NOT NULL;
CREATE INDEX tasks_open ON tasks (workspace_id, due_at IS NULL, due_at, seq, snoozed_until)
  WHERE status = 'open';
CREATE INDEX tasks_of_book ON tasks (workspace_id, book_key, due_at IS NULL, due_at, seq, snoozed_until)
  WHERE status = 'open' AND book_key IS NOT NULL;
CREATE INDEX tasks_of_assignee ON tasks (workspace_id, lower(assignee_email), due_at IS NULL, due_at, seq, snoozed_until)
  WHERE status = 'open' AND assignee_email IS NOT NULL;

CREATE INDEX tasks_of_book_and_assignee
  ON tasks (workspace_id, book_key, lower(assignee_email), due_at IS NULL, due_at, seq, snoozed_until)
  WHERE status = 'open' AND book_key IS NOT NULL AND assignee_email IS NOT NULL;

CREATE TRIGGER workspace_inserted AFTER INSERT ON workspaces BEGIN
  INSERT INTO revisions VALUES (NEW.id, 1) ON CONFLICT DO UPDATE SET number = number + 1;
END;
CREATE TRIGGER workspace_updated AFTER UPDATE ON workspaces BEGIN
  UPDATE revisions SET number = number + 1 WHERE workspace_id = NEW.id;
END;
CREATE TRIGGER workspace_deleted AFTER DELETE ON workspaces BEGIN
  UPDATE revisions SET number = number + 1 WHERE workspace_id = OLD.id;
END;
CREATE TRIGGER task_inserted AFTER INSERT ON tasks BEGIN
  UPDATE revisions SET number = number + 1 WHERE workspace_id = NEW.workspace_id;
END;
CREATE TRIGGER task_updated AFTER UPDATE ON tasks BEGIN
  UPDATE revisions SET number = number + 1 WHERE workspace_id IN (OLD.workspace_id, NEW.workspace_id);
END;
CREATE TRIGGER task_deleted AFTER DELETE ON tasks BEGIN
  UPDATE revisions SET number = number + 1 WHERE workspace_id = OLD.workspace_id;
END;

-- A key outlives its workspace: hence no foreign key.
CREATE TABLE api_keys (
  id                  TEXT PRIMARY KEY,
  workspace_id        TEXT NOT NULL,
  hash                TEXT NOT NULL UNIQUE,
  prefix              TEXT NOT NULL,
  label               TEXT NOT NULL,
  permissions         TEXT NOT NULL,
  rate_limit          INTEGER,
  rate_window_seconds INTEGER,
  created_by          TEXT NOT NULL,
  created_at          TEXT NOT NULL,
  expires_at          TEXT,
  revoked_at          TEXT,
  replaces            TEXT
) STRICT, WITHOUT ROWID;
CREATE INDEX api_keys_of_workspace ON api_keys (workspace_id, created_at);

CREATE TABLE key_use (
  key_id  TEXT NOT NULL,
  day     TEXT NOT NULL,
  count   INTEGER NOT NULL,
  last_at TEXT NOT NULL,
  PRIMARY KEY (key_id, day)
) STRICT, WITHOUT ROWID;

CREATE TABLE members (
  workspace_id TEXT NOT NULL,
  email        TEXT NOT NULL,
  role         TEXT NOT NULL CHECK (role IN ('owner', 'admin', 'member')),
  added_at     TEXT NOT NULL,
  PRIMARY KEY (workspace_id, email)
) STRICT, WITHOUT ROWID;

CREATE TABLE audit (
  id           INTEGER PRIMARY KEY,
  at           TEXT NOT NULL,
  workspace_id TEXT NOT NULL,
  actor        TEXT NOT NULL,
  action       TEXT NOT NULL,
  subject      TEXT NOT NULL,
  detail       TEXT NOT NULL
) STRICT;
CREATE INDEX audit_of_workspace ON audit (workspace_id, id);
