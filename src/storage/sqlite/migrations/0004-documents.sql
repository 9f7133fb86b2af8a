-- `document` is the task as it is answered, made when the task is written: to put a hundred of them together takes a third
-- of the time of making them. SQLite keeps it true to the other columns, whoever writes them. A column of this kind cannot
-- be added, so the table is made anew; what stood on it is as 0001 and 0003 made it.

CREATE TABLE tasks_with_documents (
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
  woken             INTEGER NOT NULL DEFAULT 0 CHECK (woken IN (0, 1)),
  document          TEXT NOT NULL GENERATED ALWAYS AS (json_object(
    'id', id, 'title', title, 'details', details, 'dueAt', due_at, 'bookKey', book_key, 'assigneeName', assignee_name,
    'assigneeEmail', assignee_email, 'sourceSessionId', source_session_id, 'sourceTitle', source_title,
    'sourceSummary', source_summary, 'sourceKind', source_kind)) STORED,
  UNIQUE (workspace_id, id)
) STRICT;

INSERT INTO tasks_with_documents (
  seq, workspace_id, id, title, details, due_at, book_key, assignee_name, assignee_email, source_session_id, source_title,
  source_summary, source_kind, status, snoozed_until, created_at, woken)
SELECT seq, workspace_id, id, title, details, due_at, book_key, assignee_name, assignee_email, source_session_id, source_title,
  source_summary, source_kind, status, snoozed_until, created_at, woken
FROM tasks ORDER BY seq;

DROP TABLE tasks;
ALTER TABLE tasks_with_documents RENAME TO tasks;

CREATE INDEX tasks_awake ON tasks (workspace_id, due_at IS NULL, due_at, seq, snoozed_until, woken)
  WHERE status = 'open' AND (snoozed_until IS NULL OR woken = 1);
CREATE INDEX tasks_of_book ON tasks (workspace_id, book_key, due_at IS NULL, due_at, seq, snoozed_until, woken)
  WHERE status = 'open' AND (snoozed_until IS NULL OR woken = 1) AND book_key IS NOT NULL;
CREATE INDEX tasks_of_assignee
  ON tasks (workspace_id, lower(assignee_email), due_at IS NULL, due_at, seq, snoozed_until, woken)
  WHERE status = 'open' AND (snoozed_until IS NULL OR woken = 1) AND assignee_email IS NOT NULL;
CREATE INDEX tasks_of_book_and_assignee
  ON tasks (workspace_id, book_key, lower(assignee_email), due_at IS NULL, due_at, seq, snoozed_until, woken)
  WHERE status = 'open' AND (snoozed_until IS NULL OR woken = 1) AND book_key IS NOT NULL AND assignee_email IS NOT NULL;
CREATE INDEX tasks_snoozed ON tasks (workspace_id, woken, snoozed_until, due_at)
  WHERE status = 'open' AND snoozed_until IS NOT NULL;

CREATE TRIGGER task_inserted AFTER INSERT ON tasks BEGIN
  UPDATE revisions SET number = number + 1 WHERE workspace_id = NEW.workspace_id;
END;
CREATE TRIGGER task_deleted AFTER DELETE ON tasks BEGIN
  UPDATE revisions SET number = number + 1 WHERE workspace_id = OLD.workspace_id;
END;
CREATE TRIGGER task_updated AFTER UPDATE OF
  seq, workspace_id, id, title, details, due_at, book_key, assignee_name, assignee_email, source_session_id, source_title,
  source_summary, source_kind, status, snoozed_until, created_at
ON tasks BEGIN
  UPDATE revisions SET number = number + 1 WHERE workspace_id IN (OLD.workspace_id, NEW.workspace_id);
END;

CREATE TRIGGER task_inserted_snoozed AFTER INSERT ON tasks
WHEN NEW.snoozed_until IS NOT NULL AND NEW.woken <> (NEW.snoozed_until <= strftime('%Y-%m-%dT%H:%M:%fZ', 'now')) BEGIN
  UPDATE tasks SET woken = 1 - woken WHERE seq = NEW.seq;
END;
CREATE TRIGGER task_snoozed AFTER UPDATE OF snoozed_until ON tasks
WHEN NEW.snoozed_until IS NOT NULL AND NEW.woken <> (NEW.snoozed_until <= strftime('%Y-%m-%dT%H:%M:%fZ', 'now')) BEGIN
  UPDATE tasks SET woken = 1 - woken WHERE seq = NEW.seq;
END;
