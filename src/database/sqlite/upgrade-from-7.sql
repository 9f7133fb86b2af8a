-- Upgrades schema 7 to 8: the same tables, except that everything about tasks now comes from its definition. SQLite cannot
-- drop the CHECKs that its columns had, so the table is created anew; its rows are moved there afterwards.
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
ALTER TABLE tasks RENAME TO tasks_of_schema_7;

CREATE TABLE resource_tables (
  name    TEXT PRIMARY KEY,
  version INTEGER NOT NULL,
  columns TEXT NOT NULL,
  objects TEXT NOT NULL
) STRICT, WITHOUT ROWID;
