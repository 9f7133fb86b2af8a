-- Upgrades schema 6 to 8: the same tables, except that tasks' triggers and indexes now come from its definition.
DROP TRIGGER tasks_inserted ON vitrine.tasks;
DROP TRIGGER tasks_updated ON vitrine.tasks;
DROP TRIGGER tasks_deleted ON vitrine.tasks;
DROP TRIGGER tasks_truncated ON vitrine.tasks;
DROP TRIGGER task_inserted_snoozed ON vitrine.tasks;
DROP TRIGGER task_snoozed ON vitrine.tasks;
DROP TRIGGER task_checked ON vitrine.tasks;
DROP FUNCTION vitrine.note_waking();
DROP FUNCTION vitrine.check_task();
DROP INDEX vitrine.tasks_awake, vitrine.tasks_of_book, vitrine.tasks_of_assignee, vitrine.tasks_of_book_and_assignee,
  vitrine.tasks_snoozed;
ALTER TABLE vitrine.tasks DROP CONSTRAINT tasks_due_at_check, DROP CONSTRAINT tasks_snoozed_until_check,
  DROP CONSTRAINT tasks_status_check;
ALTER TABLE vitrine.tasks RENAME COLUMN woken TO snooze_expired;

CREATE OR REPLACE FUNCTION vitrine.move_revisions_both() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  UPDATE vitrine.revisions SET number = vitrine.next_revision(number)
  WHERE workspace_id IN (SELECT workspace_id FROM old_rows UNION SELECT workspace_id FROM new_rows);
  RETURN NULL;
END $$;

CREATE TABLE vitrine.resource_tables (
  name    text PRIMARY KEY,
  version integer NOT NULL,
  columns text NOT NULL,
  objects text NOT NULL
);
