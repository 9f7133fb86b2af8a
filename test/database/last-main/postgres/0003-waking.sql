-- A snooze ends by the passing of time, which no index notices. `woken` notes that it has been seen to have ended, so that
-- the task stands in the indexes of the awake. It is a note and no answer: current-tasks.ts says how it is used.

DROP INDEX vitrine.tasks_awake, vitrine.tasks_asleep, vitrine.tasks_open, vitrine.tasks_of_book,
  vitrine.tasks_of_book_and_assignee, vitrine.tasks_of_assignee;

ALTER TABLE vitrine.tasks ADD COLUMN woken boolean NOT NULL DEFAULT false;

-- Noting that a task has woken changes no answer, so it moves no revision. A trigger that is told the rows of its statement
-- cannot be told the columns: where a row is marked, the rows are compared in all their other columns.
CREATE OR REPLACE FUNCTION vitrine.move_revisions_both() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF EXISTS (SELECT FROM new_rows WHERE woken) THEN
    UPDATE vitrine.revisions SET number = vitrine.next_revision(number)
    WHERE workspace_id IN (
      SELECT unnest(ARRAY[o.workspace_id, n.workspace_id]) FROM old_rows o FULL JOIN new_rows n ON n.seq = o.seq
      WHERE (o.seq, o.workspace_id, o.id, o.title, o.details, o.due_at, o.book_key, o.assignee_name, o.assignee_email,
             o.source_session_id, o.source_title, o.source_summary, o.source_kind, o.status, o.snoozed_until, o.created_at)
        IS DISTINCT FROM
            (n.seq, n.workspace_id, n.id, n.title, n.details, n.due_at, n.book_key, n.assignee_name, n.assignee_email,
             n.source_session_id, n.source_title, n.source_summary, n.source_kind, n.status, n.snoozed_until, n.created_at));
  ELSE
    UPDATE vitrine.revisions SET number = vitrine.next_revision(number)
    WHERE workspace_id IN (SELECT workspace_id FROM old_rows UNION SELECT workspace_id FROM new_rows);
  END IF;
  RETURN NULL;
END $$;

UPDATE vitrine.tasks SET woken = true WHERE snoozed_until <= now();

CREATE INDEX tasks_awake ON vitrine.tasks (workspace_id, due_at, seq) INCLUDE (snoozed_until, woken)
  WHERE status = 'open' AND (snoozed_until IS NULL OR woken);
CREATE INDEX tasks_of_book ON vitrine.tasks (workspace_id, book_key, due_at, seq) INCLUDE (snoozed_until, woken)
  WHERE status = 'open' AND (snoozed_until IS NULL OR woken) AND book_key IS NOT NULL;
CREATE INDEX tasks_of_assignee ON vitrine.tasks
  (workspace_id, lower(assignee_email COLLATE "C"), due_at, seq) INCLUDE (snoozed_until, woken)
  WHERE status = 'open' AND (snoozed_until IS NULL OR woken) AND assignee_email IS NOT NULL;
CREATE INDEX tasks_of_book_and_assignee ON vitrine.tasks
  (workspace_id, book_key, lower(assignee_email COLLATE "C"), due_at, seq) INCLUDE (snoozed_until, woken)
  WHERE status = 'open' AND (snoozed_until IS NULL OR woken) AND book_key IS NOT NULL AND assignee_email IS NOT NULL;
CREATE INDEX tasks_snoozed ON vitrine.tasks (workspace_id, woken, snoozed_until) INCLUDE (due_at, seq)
  WHERE status = 'open' AND snoozed_until IS NOT NULL;

-- Whoever writes a snooze, the note follows.
CREATE FUNCTION vitrine.note_waking() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.woken := NEW.snoozed_until <= clock_timestamp();
  RETURN NEW;
END $$;
CREATE TRIGGER task_inserted_snoozed BEFORE INSERT ON vitrine.tasks FOR EACH ROW
  WHEN (NEW.snoozed_until IS NOT NULL) EXECUTE FUNCTION vitrine.note_waking();
CREATE TRIGGER task_snoozed BEFORE UPDATE OF snoozed_until ON vitrine.tasks FOR EACH ROW
  WHEN (NEW.snoozed_until IS DISTINCT FROM OLD.snoozed_until AND NEW.snoozed_until IS NOT NULL)
  EXECUTE FUNCTION vitrine.note_waking();
