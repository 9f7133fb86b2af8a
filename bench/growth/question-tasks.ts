import { join } from 'node:path'
import type { Row } from '../../src/lists/column.ts'
import { listsOf } from '../../src/lists/definition.ts'
import type { Resource } from '../../src/resources/define.ts'
import { resources } from '../../src/resources/index.ts'
import { currentTasks } from '../../src/resources/tasks/list.ts'
import { withClient } from '../../test/support/postgres-server.ts'
import { fillWorkspace } from './databases.ts'

export const NOW = Date.parse('2026-11-16T12:00:00.000Z')
/** The same few tasks stand out in every workspace, however large: these questions find seven or so. */
const RARE = 7

const SYLLABLES = 'ka ro mi ten vel dor sa lun pre cho gri bex tal nor ule sti qua fen'.split(' ')

/** Pseudo-random, but the same in each run. */
const wordOf = (n: number): string =>
  [n, n >> 4, n >> 9].map((part) => SYLLABLES[Math.abs(part * 2_654_435_761) % SYLLABLES.length]).join('')

const textOf = (n: number, words: number) =>
  Array.from({ length: words }, (_, i) => wordOf((n * 31 + i * 7919) % 9973)).join(' ')

/** About 250 characters each. Nearly all are due within ten years from now. */
function taskRow(n: number, tasks: number): Row {
  const isRare = n % Math.ceil(tasks / RARE) === 0
  const person = n % 40
  return {
    id: `task_${n}`,
    title: `Confirm the order ${n} ${textOf(n, 3)}${isRare ? ' Zéphyr linen' : ''}`,
    details: textOf(n + 1, 22),
    dueAt: isRare ? null : new Date(NOW + 86_400_000 + (((n * 104_729) % 87_600) + 1) * 3_600_000).toISOString(),
    bookKey: isRare ? 'rare' : `book${n % 25}`,
    assigneeName: isRare ? null : `Person ${wordOf(person)}`,
    assigneeEmail: isRare ? null : `person${person}@northwind.example`,
    sourceSessionId: `session_${n % Math.ceil(tasks / RARE)}`,
  }
}

/** Returns the URL. `name` is a list with the fields of tasks. */
export async function createQuestionDatabase(
  folder: string,
  tasks: number,
  name = 'tasks',
  all: readonly Resource[] = resources,
): Promise<string> {
  const url = `sqlite:${join(folder, `questions-${name}-${tasks}.db`)}`
  const list = listsOf(all).find((each) => each.name === name)
  if (list === undefined) throw new Error(`there is no list ${name}`)
  await fillWorkspace(url, list, taskRows(tasks), { all })
  return url
}

/** On the PostgreSQL server with this URL. */
export async function createQuestionDatabaseOn(server: string, tasks: number): Promise<string> {
  const database = new URL(server)
  database.pathname = `questions_${tasks}`
  await withClient(server, (client) => client.query(`CREATE DATABASE questions_${tasks}`))
  await fillWorkspace(database.href, currentTasks, taskRows(tasks))
  await withClient(database.href, (client) => client.query('VACUUM ANALYZE vitrine.list_items'))
  return database.href
}

const taskRows = (tasks: number): Row[] => Array.from({ length: tasks }, (_, i) => taskRow(i + 1, tasks))
