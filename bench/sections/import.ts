import { statSync } from 'node:fs'
import { join } from 'node:path'
import { withPostgres } from '../harness/postgres.ts'
import type { BenchOptions } from '../harness/schedule.ts'
import { withTestbed } from '../harness/testbed.ts'
import { PROGRAM } from '../harness/vitrine.ts'
import { type Engine, onPostgres, onSqlite } from '../import/engines.ts'
import { longestHold } from '../import/lock-watch.ts'
import { type Cost, measureCommand } from '../import/measure-command.ts'
import { writeTaskFile } from '../import/task-files.ts'
import { median, ratios, spreadOf } from '../report/statistics.ts'
import { mib, table, withSpread } from '../report/table.ts'

export const title = 'Import and sync'

const FEW = 20_000
const ALL = 100_000
const BY_HAND = join(import.meta.dirname, '../import/by-hand.ts')

export const run = ({ rounds = 3 }: BenchOptions): Promise<string> =>
  withTestbed(
    async (testbed) => {
      const { folder } = testbed
      const files = await writeFiles(folder)
      const sqlite = onSqlite(folder)
      const parts = [how(files), `### ${sqlite.name}`, await compare(sqlite, files, rounds), await holds(sqlite, files)]
      await withPostgres(testbed, async (database) => {
        const postgres = onPostgres(database)
        parts.push(`### ${postgres.name}`, await compare(postgres, files, rounds))
      })
      return parts.join('\n\n')
    },
    { isPinned: false },
  )

interface Files {
  none: string
  few: string
  all: string
  /** All tasks, each with another title. */
  changed: string
}

async function writeFiles(folder: string): Promise<Files> {
  const write = async (name: string, to: number, changedEvery?: number) => {
    const file = join(folder, `${name}.ndjson`)
    await writeTaskFile(file, { from: 0, to, ...(changedEvery && { changedEvery }) })
    return file
  }
  return {
    none: await write('none', 0),
    few: await write('few', FEW),
    all: await write('all', ALL),
    changed: await write('changed', ALL, 1),
  }
}

const how = ({ all }: Files): string =>
  `Tasks of ${Math.round(statSync(all).size / ALL)} bytes, as NDJSON; ids and dues in no order, three of five open. "By hand" is a script ` +
  'that inserts all of them in one transaction into one table with one index, and checks nothing. The programs take turns, each with a ' +
  'database of its own.'

const taskImport = (file: string) => ['task', 'import', '--workspace', 'bench', file]

const taskSync = (file: string) => [
  'task',
  'sync',
  '--workspace',
  'bench',
  '--source',
  'bench',
  '--max-gone',
  '100%',
  file,
]

async function compare(engine: Engine, files: Files, rounds: number): Promise<string> {
  const empty = await createWorkspace(engine)
  const vitrine = (url: string, args: string[]) =>
    measureCommand(PROGRAM, args, { DATABASE_URL: url }, engine.serverCpuSeconds)
  const synced = await engine.create(empty)
  await vitrine(synced, taskSync(files.all))

  const measure = async (like: string, command: (url: string) => Promise<Cost>) => {
    const url = await engine.create(like)
    const cost = await command(url)
    const bytes = await engine.bytes(url)
    await engine.drop(url)
    return { ...cost, bytes }
  }
  const steps: Record<string, () => ReturnType<typeof measure>> = {
    'by hand': () =>
      measure(empty, (url) => measureCommand(process.execPath, [BY_HAND, url, files.all], {}, engine.serverCpuSeconds)),
    [`\`task import\` of ${count(FEW)}`]: () => measure(empty, (url) => vitrine(url, taskImport(files.few))),
    [`\`task import\` of ${count(ALL)}`]: () => measure(empty, (url) => vitrine(url, taskImport(files.all))),
    '`task sync`, each one changed': () => measure(synced, (url) => vitrine(url, taskSync(files.changed))),
    '`task sync`, none changed': () => measure(synced, (url) => vitrine(url, taskSync(files.all))),
  }
  const results = new Map(Object.keys(steps).map((name) => [name, [] as Awaited<ReturnType<typeof measure>>[]]))
  for (let round = 0; round < rounds; round++)
    for (const [name, step] of Object.entries(steps)) results.get(name)?.push(await step())

  const figures = (name: string, key: keyof Cost | 'bytes') => results.get(name)?.map((cost) => cost[key]) ?? []
  const size = statSync(files.all).size
  return table(
    ['', 'CPU time, s', 'against by hand', 'of the server, s', 'peak RSS MiB', 'database, against the file'],
    Object.keys(steps).map((name) => [
      name,
      median(figures(name, 'cpuSeconds')).toFixed(2),
      withSpread(spreadOf(ratios(figures(name, 'cpuSeconds'), figures('by hand', 'cpuSeconds')))),
      median(figures(name, 'serverCpuSeconds')).toFixed(1),
      mib(median(figures(name, 'peakRssBytes'))),
      (median(figures(name, 'bytes')) / size).toFixed(2),
    ]),
  )
}

/** Returns the URL of a database with a workspace without tasks. */
async function createWorkspace(engine: Engine): Promise<string> {
  const url = await engine.create()
  const args = ['workspace', 'create', '--name', 'Bench', '--slug', 'bench']
  await measureCommand(PROGRAM, args, { DATABASE_URL: url }, engine.serverCpuSeconds)
  return url
}

const count = (tasks: number): string => tasks.toLocaleString('en')

/** How long others cannot write while every task of a source is new, changed or deleted. */
async function holds(engine: Engine, files: Files): Promise<string> {
  const url = await createWorkspace(engine)
  const rows: string[][] = []
  const measure = async (name: string, args: string[]) => {
    const watched = url.replace('sqlite:', '')
    let cpuSeconds = 0
    const longestMs = await longestHold(watched, async () => {
      cpuSeconds = (await measureCommand(PROGRAM, args, { DATABASE_URL: url }, engine.serverCpuSeconds)).cpuSeconds
    })
    rows.push([name, String(longestMs), cpuSeconds.toFixed(1)])
  }
  await measure('new', taskSync(files.all))
  await measure('changed', taskSync(files.changed))
  await measure('source deleted', ['source', 'delete', 'bench', '--workspace', 'bench', '--yes'])
  await measure('new again', taskSync(files.all))
  await measure('workspace deleted', ['workspace', 'delete', 'bench', '--yes'])
  return table([`${count(ALL)} tasks`, 'longest hold of the write lock, ms', 'CPU time, s'], rows)
}
