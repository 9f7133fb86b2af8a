import type { OperatorStore } from '../../src/database/store.ts'
import type { TaskRow } from '../../src/resources/tasks/columns.ts'
import { table } from '../../src/resources/tasks/contract.ts'

export const emptyTask: TaskRow = {
  id: '',
  title: 'A task',
  details: null,
  dueAt: null,
  bookKey: null,
  assigneeName: null,
  assigneeEmail: null,
  sourceSessionId: null,
  sourceTitle: null,
  sourceSummary: null,
  sourceKind: null,
  status: 'open',
  snoozedUntil: null,
  createdAt: null,
}

/** Stages and takes tasks as an import does. */
export async function addTasks(operator: OperatorStore, workspaceId: string, tasks: Partial<TaskRow>[], now: string) {
  const staging = operator.stage(table)
  try {
    for (const task of tasks) staging.add({ ...emptyTask, ...task })
    await staging.flush()
    await operator.transaction((tx) => staging.take(tx, workspaceId, now))
  } finally {
    await staging.discard()
  }
}
