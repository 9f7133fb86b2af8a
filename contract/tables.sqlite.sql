-- Generated from the tables of src/resources by `npm run contract`, as a new database gets them.

-- tasks, version 5
CREATE TABLE "tasks" (
  "seq" INTEGER PRIMARY KEY,
  "workspace_id" TEXT NOT NULL,
  "source" TEXT,
  "id" TEXT NOT NULL,
  "title" TEXT NOT NULL,
  "details" TEXT,
  "due_at" TEXT,
  "book_key" TEXT,
  "assignee_name" TEXT,
  "assignee_email" TEXT,
  "source_session_id" TEXT,
  "source_title" TEXT,
  "source_summary" TEXT,
  "source_kind" TEXT,
  "status" TEXT NOT NULL DEFAULT 'open',
  "snoozed_until" TEXT,
  "created_at" TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now')),
  "snooze_expired" INTEGER NOT NULL DEFAULT 0 CHECK ("snooze_expired" IN (0, 1)),
  UNIQUE (workspace_id, id)
) STRICT;

CREATE TRIGGER tasks_inserted AFTER INSERT ON "tasks" BEGIN
  SELECT RAISE(ABORT, 'tasks_frozen: a large import or sync of these tasks is being stored, or was interrupted; try again when it is done, or run vitrine migrate') FROM frozen WHERE table_name = 'tasks' AND workspace_id = rtrim(NEW.workspace_id, '~') AND is_writing = 0;
  UPDATE revisions SET number = number + 1
    WHERE workspace_id = NEW.workspace_id AND NOT EXISTS (SELECT 1 FROM frozen WHERE table_name = 'tasks' AND workspace_id = revisions.workspace_id);
END;

CREATE TRIGGER tasks_updated AFTER UPDATE OF "seq", "workspace_id", "source", "id", "title", "details", "due_at", "book_key", "assignee_name", "assignee_email", "source_session_id", "source_title", "source_summary", "source_kind", "status", "snoozed_until", "created_at" ON "tasks" BEGIN
  SELECT RAISE(ABORT, 'tasks_frozen: a large import or sync of these tasks is being stored, or was interrupted; try again when it is done, or run vitrine migrate') FROM frozen WHERE table_name = 'tasks' AND workspace_id IN (rtrim(OLD.workspace_id, '~'), rtrim(NEW.workspace_id, '~')) AND is_writing = 0;
  UPDATE revisions SET number = number + 1
    WHERE workspace_id IN (OLD.workspace_id, NEW.workspace_id) AND NOT EXISTS (SELECT 1 FROM frozen WHERE table_name = 'tasks' AND workspace_id = revisions.workspace_id);
END;

CREATE TRIGGER tasks_deleted AFTER DELETE ON "tasks" BEGIN
  SELECT RAISE(ABORT, 'tasks_frozen: a large import or sync of these tasks is being stored, or was interrupted; try again when it is done, or run vitrine migrate') FROM frozen WHERE table_name = 'tasks' AND workspace_id = rtrim(OLD.workspace_id, '~') AND is_writing = 0;
  UPDATE revisions SET number = number + 1
    WHERE workspace_id = OLD.workspace_id AND NOT EXISTS (SELECT 1 FROM frozen WHERE table_name = 'tasks' AND workspace_id = revisions.workspace_id);
END;

CREATE TRIGGER tasks_placed AFTER INSERT ON "tasks" WHEN NEW.seq < 0 AND NEW.workspace_id NOT GLOB '*~' BEGIN
  UPDATE "tasks" SET seq = seq + 4611686018427387904 WHERE seq = NEW.seq;
END;

CREATE TRIGGER tasks_workspace_checked BEFORE INSERT ON "tasks" WHEN NOT EXISTS (SELECT 1 FROM workspaces WHERE id = rtrim(NEW.workspace_id, '~')) BEGIN
  SELECT RAISE(ABORT, 'tasks_workspace_exists: workspace_id must be the id of a workspace that exists');
END;

CREATE TRIGGER tasks_workspace_deleted AFTER DELETE ON workspaces WHEN (SELECT count(*) FROM (SELECT 1 FROM "tasks" WHERE workspace_id = OLD.id LIMIT 5001)) <= 5000 BEGIN
  DELETE FROM "tasks" WHERE workspace_id = OLD.id;
END;

CREATE INDEX tasks_of_source ON "tasks" (workspace_id, source, id) WHERE source IS NOT NULL;

CREATE INDEX tasks_unsnoozed ON tasks (workspace_id, due_at IS NULL, due_at, seq, snoozed_until, snooze_expired, CAST(json_object('id', "id", 'title', "title", 'details', "details", 'dueAt', "due_at", 'bookKey', "book_key", 'assigneeName', "assignee_name", 'assigneeEmail', "assignee_email", 'sourceSessionId', "source_session_id", 'sourceTitle', "source_title", 'sourceSummary', "source_summary", 'sourceKind', "source_kind") AS TEXT))
  WHERE status = 'open' AND (snoozed_until IS NULL OR snooze_expired = 1);

CREATE INDEX tasks_of_book ON tasks (workspace_id, book_key, due_at IS NULL, due_at, seq, snoozed_until, snooze_expired)
  WHERE status = 'open' AND (snoozed_until IS NULL OR snooze_expired = 1) AND book_key IS NOT NULL;

CREATE INDEX tasks_of_assignee ON tasks (workspace_id, lower(assignee_email), due_at IS NULL, due_at, seq, snoozed_until, snooze_expired)
  WHERE status = 'open' AND (snoozed_until IS NULL OR snooze_expired = 1) AND assignee_email IS NOT NULL;

CREATE INDEX tasks_of_book_and_assignee ON tasks (workspace_id, book_key, lower(assignee_email), due_at IS NULL, due_at, seq, snoozed_until, snooze_expired)
  WHERE status = 'open' AND (snoozed_until IS NULL OR snooze_expired = 1) AND book_key IS NOT NULL AND assignee_email IS NOT NULL;

CREATE INDEX tasks_of_session ON tasks (workspace_id, source_session_id, due_at IS NULL, due_at, seq, snoozed_until, snooze_expired)
  WHERE status = 'open' AND (snoozed_until IS NULL OR snooze_expired = 1) AND source_session_id IS NOT NULL;

CREATE INDEX tasks_unassigned ON tasks (workspace_id, due_at IS NULL, due_at, seq, snoozed_until, snooze_expired)
  WHERE status = 'open' AND (snoozed_until IS NULL OR snooze_expired = 1) AND assignee_name IS NULL AND assignee_email IS NULL;

CREATE INDEX tasks_snoozed ON tasks (workspace_id, snooze_expired, snoozed_until, due_at)
  WHERE status = 'open' AND snoozed_until IS NOT NULL;

CREATE TRIGGER tasks_inserted_snoozed AFTER INSERT ON tasks
WHEN NEW.snoozed_until IS NOT NULL AND NEW.snooze_expired <> (NEW.snoozed_until <= strftime('%Y-%m-%dT%H:%M:%fZ', 'now')) BEGIN
  UPDATE tasks SET snooze_expired = 1 - snooze_expired WHERE seq = NEW.seq;
END;

CREATE TRIGGER tasks_snooze_written AFTER UPDATE OF snoozed_until ON tasks
WHEN NEW.snoozed_until IS NOT NULL AND NEW.snooze_expired <> (NEW.snoozed_until <= strftime('%Y-%m-%dT%H:%M:%fZ', 'now')) BEGIN
  UPDATE tasks SET snooze_expired = 1 - snooze_expired WHERE seq = NEW.seq;
END;

CREATE VIRTUAL TABLE tasks_search USING fts5(text, content = '', contentless_delete = 1, detail = 'none', tokenize = 'trigram');

CREATE TRIGGER tasks_search_inserted AFTER INSERT ON "tasks" BEGIN
  DELETE FROM tasks_search WHERE rowid = NEW.seq;
  INSERT INTO tasks_search (rowid, text)
  SELECT NEW.seq, concat_ws(char(10), char(57344 + 80 * (coalesce(unicode(substr(NEW.workspace_id, -1, 1)), 0) % 80) + coalesce(unicode(substr(NEW.workspace_id, -2, 1)), 0) % 80, 57344 + 80 * (coalesce(unicode(substr(NEW.workspace_id, -3, 1)), 0) % 80) + coalesce(unicode(substr(NEW.workspace_id, -4, 1)), 0) % 80, 57344 + 80 * (coalesce(unicode(substr(NEW.workspace_id, -5, 1)), 0) % 80) + coalesce(unicode(substr(NEW.workspace_id, -6, 1)), 0) % 80), NEW."title", NEW."details", NEW."book_key", NEW."assignee_name", NEW."source_title", NEW."source_summary") WHERE NEW.seq > 0 AND NEW.status = 'open';
END;

CREATE TRIGGER tasks_search_updated AFTER UPDATE OF seq, workspace_id, status, "title", "details", "book_key", "assignee_name", "source_title", "source_summary" ON "tasks" WHEN (OLD.seq, OLD.workspace_id, OLD.status, OLD."title", OLD."details", OLD."book_key", OLD."assignee_name", OLD."source_title", OLD."source_summary") IS NOT (NEW.seq, NEW.workspace_id, NEW.status, NEW."title", NEW."details", NEW."book_key", NEW."assignee_name", NEW."source_title", NEW."source_summary") BEGIN
  DELETE FROM tasks_search WHERE rowid = OLD.seq;
  INSERT INTO tasks_search (rowid, text)
  SELECT NEW.seq, concat_ws(char(10), char(57344 + 80 * (coalesce(unicode(substr(NEW.workspace_id, -1, 1)), 0) % 80) + coalesce(unicode(substr(NEW.workspace_id, -2, 1)), 0) % 80, 57344 + 80 * (coalesce(unicode(substr(NEW.workspace_id, -3, 1)), 0) % 80) + coalesce(unicode(substr(NEW.workspace_id, -4, 1)), 0) % 80, 57344 + 80 * (coalesce(unicode(substr(NEW.workspace_id, -5, 1)), 0) % 80) + coalesce(unicode(substr(NEW.workspace_id, -6, 1)), 0) % 80), NEW."title", NEW."details", NEW."book_key", NEW."assignee_name", NEW."source_title", NEW."source_summary") WHERE NEW.seq > 0 AND NEW.status = 'open';
END;

CREATE TRIGGER tasks_search_deleted AFTER DELETE ON "tasks" BEGIN
  DELETE FROM tasks_search WHERE rowid = OLD.seq;
END;
