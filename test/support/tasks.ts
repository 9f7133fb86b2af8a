import type { OperatorStore } from '../../src/database/store.ts'
import type { Row } from '../../src/lists/column.ts'
import { type List, publishedFields } from '../../src/lists/definition.ts'
import { StagedItems } from '../../src/lists/stored/staged-items.ts'
import { emptyTask, type TaskRow } from '../../src/resources/tasks/columns.ts'
import { currentTasks } from '../../src/resources/tasks/list.ts'
import { atTime } from './at-time.ts'

/** In the order of responses; test/contract/tasks.test.ts has them as clients do. */
export const taskFields = publishedFields(currentTasks.fields).map(({ name }) => name)

export const addTasks = (operator: OperatorStore, workspaceId: string, tasks: Partial<TaskRow>[], now: string) =>
  addRows(
    operator,
    workspaceId,
    currentTasks,
    tasks.map((task) => ({ ...emptyTask, title: 'A task', ...task })),
    now,
  )

/** Stages and writes rows as an import does. */
export async function addRows(operator: OperatorStore, workspaceId: string, list: List, rows: Row[], now: string) {
  using staged = new StagedItems(list, now)
  staged.add(rows)
  await atTime(operator, () => Date.parse(now)).transaction(async (tx) => {
    const { write } = await staged.begin(tx, { workspaceId, source: null })
    await write()
  })
}
