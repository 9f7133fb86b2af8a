-- Brings a database of the last schema before the first migration of now to that one. It describes the same tables, but for
-- that of tasks: its triggers and indexes are made from its definition from now on.
DROP TRIGGER task_inserted;
DROP TRIGGER task_updated;
DROP TRIGGER task_deleted;
DROP TRIGGER task_inserted_snoozed;
DROP TRIGGER task_snoozed;
DROP TRIGGER task_inserted_checked;
DROP TRIGGER task_updated_checked;
DROP INDEX tasks_awake;
DROP INDEX tasks_of_book;
DROP INDEX tasks_of_assignee;
DROP INDEX tasks_of_book_and_assignee;
DROP INDEX tasks_snoozed;
ALTER TABLE tasks RENAME COLUMN woken TO snooze_expired;

CREATE TABLE resource_tables (
  name    TEXT PRIMARY KEY,
  version INTEGER NOT NULL,
  columns TEXT NOT NULL,
  objects TEXT NOT NULL
) STRICT, WITHOUT ROWID;
