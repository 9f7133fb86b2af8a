import type { UpdateSome } from '../../database/background-updates.ts'
import { FIXED_PATH } from '../../database/postgres/table-rules.ts'
import type { PostgresReads } from '../../database/queries.ts'
import type { SchemaObject } from '../../database/table.ts'

export const UNSNOOZED = '(snoozed_until IS NULL OR snooze_expired)'
export const UNASSIGNED = 'assignee_name IS NULL AND assignee_email IS NULL'
export const ASSIGNEE = 'lower(assignee_email COLLATE "C")'

const PLACE = 'due_at, seq) INCLUDE (snoozed_until, snooze_expired)'
const index = (name: string, on: string, where: string): SchemaObject => ({
  kind: 'index',
  name,
  sql: `CREATE INDEX ${name} ON vitrine.tasks (workspace_id, ${on}\n  WHERE status = 'open' AND ${where}`,
})

/** The mark follows every write of a snooze, even of replicated rows, whose publisher may have no marks. */
const marking = (name: string, when: string, condition: string): SchemaObject => ({
  kind: 'trigger',
  name,
  sql: `CREATE TRIGGER ${name} BEFORE ${when} ON vitrine.tasks FOR EACH ROW
  WHEN (${condition}) EXECUTE FUNCTION vitrine.tasks_mark_snooze()`,
  enabled: 'always',
})

export const schema: SchemaObject[] = [
  index('tasks_unsnoozed', PLACE, UNSNOOZED),
  index('tasks_of_book', `book_key, ${PLACE}`, `${UNSNOOZED} AND book_key IS NOT NULL`),
  index('tasks_of_assignee', `${ASSIGNEE}, ${PLACE}`, `${UNSNOOZED} AND assignee_email IS NOT NULL`),
  index(
    'tasks_of_book_and_assignee',
    `book_key, ${ASSIGNEE}, ${PLACE}`,
    `${UNSNOOZED} AND book_key IS NOT NULL AND assignee_email IS NOT NULL`,
  ),
  index('tasks_of_session', `source_session_id, ${PLACE}`, `${UNSNOOZED} AND source_session_id IS NOT NULL`),
  index('tasks_unassigned', PLACE, `${UNSNOOZED} AND ${UNASSIGNED}`),
  index('tasks_snoozed', 'snooze_expired, snoozed_until) INCLUDE (due_at, seq)', 'snoozed_until IS NOT NULL'),
  {
    kind: 'function',
    name: 'tasks_mark_snooze',
    sql: `CREATE OR REPLACE FUNCTION vitrine.tasks_mark_snooze() RETURNS trigger LANGUAGE plpgsql ${FIXED_PATH} AS $$
BEGIN
  NEW.snooze_expired := NEW.snoozed_until <= clock_timestamp();
  RETURN NEW;
END $$`,
  },
  marking('tasks_inserted_snoozed', 'INSERT', 'NEW.snoozed_until IS NOT NULL'),
  marking(
    'tasks_snooze_written',
    'UPDATE OF snoozed_until',
    'NEW.snoozed_until IS DISTINCT FROM OLD.snoozed_until AND NEW.snoozed_until IS NOT NULL',
  ),
]

/** Never waits for a lock: replicas mark different tasks, and skip rows that a writer holds. */
export const markExpired =
  (update: Parameters<Parameters<PostgresReads['inBackground']>[0]>[0]): UpdateSome =>
  (workspaceId, by, atMost) =>
    update({
      name: 'mark expired snoozes',
      text: `
        UPDATE vitrine.tasks SET snooze_expired = true WHERE seq = ANY (ARRAY (
          SELECT seq FROM vitrine.tasks
          WHERE workspace_id = $1 AND status = 'open' AND snoozed_until IS NOT NULL AND NOT snooze_expired
            AND snoozed_until <= $2::timestamptz
          LIMIT $3::int FOR UPDATE SKIP LOCKED))`,
      values: [workspaceId, new Date(by).toISOString(), atMost],
    })
