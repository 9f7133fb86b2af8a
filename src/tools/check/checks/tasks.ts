import { isObject } from '../../../lib/checker.ts'
import type { Check } from '../define.ts'
import { diagnoses } from '../diagnosis.ts'
import { Deviation } from '../outcome.ts'

const PATH = '/tasks'

/** What a schema cannot say of the tasks. */
export const taskChecks: Check[] = [
  {
    id: 'rest.tasks.order',
    group: 'rest',
    title: 'Tasks come by due date, earliest first, those without one last',
    why: 'Clients take the first tasks for the most urgent ones.',
    operations: [`GET ${PATH}`],
    async run(client) {
      const { json } = await client.readable(PATH)
      const tasks = isObject(json) && Array.isArray(json.tasks) ? json.tasks : []
      const dates = tasks.map((task) =>
        isObject(task) && typeof task.dueAt === 'string' ? Date.parse(task.dueAt) : Number.POSITIVE_INFINITY,
      )
      const at = dates.findIndex((date, i) => i > 0 && date < (dates[i - 1] ?? 0))
      if (at !== -1)
        throw new Deviation(
          `GET ${PATH}: tasks by due date`,
          `task ${at + 1} is due before the one above it`,
          diagnoses.bodyChanged,
        )
      return tasks.length === 0 ? 'the workspace has no current tasks: nothing to put in order' : undefined
    },
  },
]
