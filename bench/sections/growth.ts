import { setTimeout as delay } from 'node:timers/promises'
import { connectAsWriter, createDatabase, type Shape, shapes } from '../growth/databases.ts'
import { serveKeys } from '../growth/keys.ts'
import { measurePages, pagesOf } from '../growth/pages.ts'
import { Reader, readBody } from '../growth/reader.ts'
import { type BenchOptions, CONNECTIONS } from '../harness/schedule.ts'
import { type Testbed, withTestbed } from '../harness/testbed.ts'
import { median } from '../report/statistics.ts'
import { mib, table } from '../report/table.ts'

export const title = 'Growth'

/** What a read costs as a workspace, or the number of workspaces and keys, grows. */
export const run = ({ quick }: BenchOptions): Promise<string> =>
  withTestbed(
    async (testbed) => {
      const tasks = quick ? 10_000 : 100_000
      const keys = quick ? 10_000 : 100_000
      const parts = [
        await stateTable(testbed.folder, tasks),
        await backlogTable(testbed.folder, tasks),
        await pageTable(testbed.folder, tasks),
        await keyTable(testbed, keys, quick),
      ]
      return parts.join('\n\n')
    },
    { isPinned: false },
  )

const ROUNDS = 15
const READS = 20
const filters: Record<string, Record<string, string>> = {
  '`GET /tasks`': {},
  'of a book': { bookKey: 'book0' },
  'of an assignee': { assigneeEmail: 'Person0@northwind.example' },
  'of both, due before': {
    bookKey: 'book0',
    assigneeEmail: 'person0@northwind.example',
    dueBefore: '2100-01-01T00:00:00Z',
  },
}

async function stateTable(folder: string, tasks: number): Promise<string> {
  const rows: { shape: Shape; readers: Reader[]; costs: number[][] }[] = []
  for (const shape of shapes(tasks)) {
    const { path, keyHash } = createDatabase(folder, shape)
    const readers = Object.values(filters).map((args) => new Reader(path, keyHash, readBody(args)))
    rows.push({ shape, readers, costs: readers.map(() => []) })
  }
  for (let round = -2; round < ROUNDS; round++)
    for (const { readers, costs } of rows)
      for (const [i, reader] of readers.entries()) {
        const some = await reader.costsOf(READS)
        if (round >= 0) costs[i]?.push(...some)
      }
  for (const { readers } of rows) for (const reader of readers) await reader.close()
  const base = rows[0]?.costs.map(median) ?? []
  return [
    'A read after a change of the workspace, SQLite, within the process: key check, query, JSON and ETag. Medians, and the\n' +
      'ratio to the same with 100 tasks.',
    table(
      ['state', 'tasks', ...Object.keys(filters)],
      rows.map(({ shape, costs }) => [
        shape.name,
        count(shape.tasks),
        ...costs.map((cost, i) => withRatio(median(cost), base[i] as number)),
      ]),
    ),
  ].join('\n\n')
}

const count = (n: number): string => n.toLocaleString('en')

const withRatio = (microseconds: number, base: number): string =>
  `${microseconds.toFixed(0)} µs, ×${(microseconds / base).toFixed(2)}`

const ONE_MOMENT = `iif(n % 1000, '2020-01-01T09:00:00.000Z', NULL)`
const UNMARKED = [0, 100, 1000, 10_000]
/** From here on they are marked in the background. */
const MARKED_FROM = 100
const MARKING_TIMEOUT_MS = 4000

/** What a read costs while tasks whose snooze ended at one moment are not marked yet, and how soon they are. */
async function backlogTable(folder: string, tasks: number): Promise<string> {
  const expired = shapes(tasks)[3] as Shape
  const { path, keyHash } = createDatabase(folder, {
    ...expired,
    name: 'expired at one moment',
    snoozedUntil: ONE_MOMENT,
  })
  const writer = connectAsWriter(path)
  const countUnmarked = writer.prepare(
    'SELECT count(*) AS n FROM tasks WHERE seq <= ? AND snooze_expired = 0 AND snoozed_until IS NOT NULL',
  )
  const rows: string[][] = []
  let base = 0
  for (const unmarked of UNMARKED) {
    writer.exec(`UPDATE tasks SET snooze_expired = 0 WHERE seq <= ${unmarked}`)
    const reader = new Reader(path, keyHash, readBody())
    const costs: number[] = []
    for (let round = 0; round < 5; round++) costs.push(...(await reader.costsOf(READS)))
    base ||= median(costs)
    const rate = await markingRate(() => Number(countUnmarked.get(unmarked)?.n))
    rows.push([count(unmarked), withRatio(median(costs), base), rate?.toFixed(0) ?? 'not needed'])
    await reader.close()
    writer.exec('UPDATE tasks SET snooze_expired = 1 WHERE snooze_expired = 0')
  }
  writer.close()
  return [
    `Of ${count(tasks)} tasks with expired snoozes, so many expired since they were last marked:`,
    table(['expired, unmarked', 'a read after a change', 'marked in the background, tasks/s'], rows),
  ].join('\n\n')
}

/** Tasks per second, where there are enough for the server to mark them on its own. */
async function markingRate(left: () => number): Promise<number | undefined> {
  const before = left()
  if (before <= MARKED_FROM) return undefined
  const startedAt = performance.now()
  while (left() > 0 && performance.now() - startedAt < MARKING_TIMEOUT_MS) await delay(50)
  return ((before - left()) / (performance.now() - startedAt)) * 1000
}

/** What a page costs, wherever in the list it is. */
async function pageTable(folder: string, tasks: number): Promise<string> {
  const measured = await measurePages(folder, tasks)
  return [
    `A page of 100 of ${count(tasks)} tasks after a change of the workspace, SQLite, within the process: key check, query, and where the\n` +
      'next page begins. Medians, and the ratio to the first page of the same list.',
    table(
      ['state', ...pagesOf(tasks).map(({ name }) => name)],
      measured.map(({ state, costs }) => [
        state,
        ...costs.map((cost, i) => withRatio(cost, costs[i - (i % 2)] as number)),
      ]),
    ),
  ].join('\n\n')
}

async function keyTable(testbed: Testbed, keys: number, quick: boolean): Promise<string> {
  const sizes = [
    { name: '1 workspace, 1 key', workspaces: 1, keysOfEach: 1 },
    { name: `${count(keys / 10)} workspaces, ${count(keys)} keys in turn`, workspaces: keys / 10, keysOfEach: 10 },
  ]
  const rows = []
  for (const { name, workspaces, keysOfEach } of sizes) {
    const server = await serveKeys(testbed, workspaces, keysOfEach, keys)
    rows.push({ name, server, costs: [] as number[] })
  }
  for (const { server } of rows) await server.warmUp()
  for (let round = 0; round < (quick ? 2 : 4); round++)
    for (const { server, costs } of rows) costs.push(await server.costOf(quick ? 2 : 4))
  const base = median(rows[0]?.costs ?? [])
  return [
    `\`GET /workspace\` over HTTP, ${CONNECTIONS} connections:`,
    table(
      ['', 'server CPU µs a request', 'against one key', 'RSS MiB'],
      rows.map(({ name, server, costs }) => [
        name,
        median(costs).toFixed(1),
        `×${(median(costs) / base).toFixed(2)}`,
        mib(server.rssBytes()),
      ]),
    ),
  ].join('\n\n')
}
