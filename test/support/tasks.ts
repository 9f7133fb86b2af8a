import type { OperatorStore } from '../../src/database/store.ts'
import type { Table } from '../../src/database/table.ts'
import type { Row } from '../../src/lists/column.ts'
import { emptyTask, type TaskRow } from '../../src/resources/tasks/columns.ts'
import { table } from '../../src/resources/tasks/current-tasks.ts'
import { atTime } from './at-time.ts'

export const addTasks = (operator: OperatorStore, workspaceId: string, tasks: Partial<TaskRow>[], now: string) =>
  addRows(
    operator,
    workspaceId,
    table,
    tasks.map((task) => ({ ...emptyTask, title: 'A task', ...task })),
    now,
  )

/** Stages and takes rows as an import does. */
export async function addRows(operator: OperatorStore, workspaceId: string, table: Table, rows: Row[], now: string) {
  const staging = operator.stage(table)
  try {
    await staging.add(rows)
    await atTime(operator, () => Date.parse(now)).transaction(async (tx) => {
      await staging.compare({ workspaceId, source: null }, tx)
      await staging.apply(tx)
    })
  } finally {
    await staging.discard()
  }
}
