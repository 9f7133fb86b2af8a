import { createDatabase, type Shape, shapes } from '../growth/databases.ts'
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
    const { path, keyHash } = await createDatabase(folder, shape)
    const readers = await Promise.all(Object.values(filters).map((args) => Reader.open(path, keyHash, readBody(args))))
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
