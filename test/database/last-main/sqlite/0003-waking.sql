-- A snooze ends by the passing of time, which no index notices. `woken` notes that it has been seen to have ended, so that
-- the task stands in the indexes of the awake. It is a note and no answer: current-tasks.ts says how it is used.

DROP INDEX tasks_awake;
DROP INDEX tasks_asleep;
DROP INDEX tasks_open;
DROP INDEX tasks_of_book;
DROP INDEX tasks_of_assignee;
DROP INDEX tasks_of_book_and_assignee;
DROP TRIGGER task_updated;

ALTER TABLE tasks ADD COLUMN woken INTEGER NOT NULL DEFAULT 0 CHECK (woken IN (0, 1));
UPDATE tasks SET woken = 1 WHERE snoozed_until <= strftime('%Y-%m-%dT%H:%M:%fZ', 'now');

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

-- Noting that a task has woken changes no answer, so it moves no revision: hence the list of all the other columns.
CREATE TRIGGER task_updated AFTER UPDATE OF
  seq, workspace_id, id, title, details, due_at, book_key, assignee_name, assignee_email, source_session_id, source_title,
  source_summary, source_kind, status, snoozed_until, created_at
ON tasks BEGIN
  UPDATE revisions SET number = number + 1 WHERE workspace_id IN (OLD.workspace_id, NEW.workspace_id);
END;

-- Whoever writes a snooze, the note follows.
CREATE TRIGGER task_inserted_snoozed AFTER INSERT ON tasks
WHEN NEW.snoozed_until IS NOT NULL AND NEW.woken <> (NEW.snoozed_until <= strftime('%Y-%m-%dT%H:%M:%fZ', 'now')) BEGIN
  UPDATE tasks SET woken = 1 - woken WHERE seq = NEW.seq;
END;
CREATE TRIGGER task_snoozed AFTER UPDATE OF snoozed_until ON tasks
WHEN NEW.snoozed_until IS NOT NULL AND NEW.woken <> (NEW.snoozed_until <= strftime('%Y-%m-%dT%H:%M:%fZ', 'now')) BEGIN
  UPDATE tasks SET woken = 1 - woken WHERE seq = NEW.seq;
END;
