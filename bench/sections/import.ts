import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type Contestant, Ring, SLUG } from '../import-ring.ts'
import { type Cost, measuredRun } from '../measured-run.ts'
import type { TaskFiles } from '../task-files.ts'

export const title = 'Import'

const PROGRAM = join(import.meta.dirname, '../../bin/vitrine')
const FEW = 100_000
const MANY = 1_000_000

const vitrine: Contestant = {
  name: '`vitrine task import`',
  take: (database, { ndjson }) =>
    measuredRun(PROGRAM, ['task', 'import', '--workspace', SLUG, ndjson], { DATABASE_URL: `sqlite:${database}` }),
}

/** `.import` makes one transaction by itself. Each step is an SQL statement or a command of the shell. */
const sqlite3 = (database: string, csv: string, { before = [], after = [] }: { before?: string[]; after?: string[] }) =>
  measuredRun('sqlite3', [
    '-bail',
    database,
    'PRAGMA synchronous = FULL',
    ...before,
    '.mode csv',
    `.import ${csv} tasks`,
    ...after,
  ])

const dotImport: Contestant = {
  name: '`sqlite3 .import`',
  take: (database, { csv }) => sqlite3(database, csv, {}),
}

/** What someone who knows SQLite well would do by hand; faster than what is asked to be compared with. */
const byHand: Contestant = {
  name: '`sqlite3 .import`, indexes dropped before and made after',
  take: (database, { csv }) => {
    const indexes = indexesOf(database)
    const before = indexes.map(({ name }) => `DROP INDEX ${name}`)
    return sqlite3(database, csv, { before, after: indexes.map(({ sql }) => sql) })
  },
}

function indexesOf(path: string): { name: string; sql: string }[] {
  const db = new DatabaseSync(path, { readOnly: true })
  const indexes = db
    .prepare("SELECT name, sql FROM sqlite_schema WHERE type = 'index' AND tbl_name = 'tasks' AND sql IS NOT NULL")
    .all()
  db.close()
  return indexes.map(({ name, sql }) => ({ name: String(name), sql: String(sql) }))
}

export async function run({ quick }: { quick: boolean }): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'vitrine-bench-import-'))
  try {
    return await measure(new Ring(folder), quick)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

async function measure(ring: Ring, quick: boolean): Promise<string> {
  await ring.prepare()
  const isComparable = spawnSync('sqlite3', ['--version']).status === 0
  const rivals = isComparable ? [dotImport] : []
  const skipped = isComparable
    ? []
    : ['**There is no `sqlite3` on the PATH: the comparison with `.import` was skipped.**']
  const few = await ring.tasks(0, FEW)
  if (quick) {
    const results = await ring.rounds(1, [vitrine, ...rivals], few)
    return [how(few, FEW), ...skipped, table(FEW, results)].join('\n\n')
  }
  const many = await ring.tasks(0, MANY)
  const manyAtOnce = await ring.rounds(1, [vitrine, ...rivals, ...(isComparable ? [byHand] : [])], many)
  const fewAtOnce = await ring.rounds(1, [vitrine], few)
  return [how(many, MANY), ...skipped, table(MANY, manyAtOnce), memory(fewAtOnce, manyAtOnce)].join('\n\n')
}

function how({ ndjson, csv }: TaskFiles, tasks: number): string {
  const bytes = (file: string) => Math.round(statSync(file).size / tasks)
  return (
    `${count(tasks)} tasks (${bytes(ndjson)} bytes a line as NDJSON, ${bytes(csv)} as CSV; ids and dues in no order; ` +
    'three of five open) into a workspace without any. Both begin with a copy of the same database, with its indexes, ' +
    'checks and triggers, in WAL mode with `synchronous = FULL`; both leave the same rows, and that is checked. ' +
    '`.import` makes an empty cell an empty text, which the table refuses for an instant, so every field is filled. ' +
    '`.import` is given the instants as they are stored; Vitrine reads them, with their offsets, and checks every field.'
  )
}

function table(tasks: number, results: Map<string, Cost[]>): string {
  const baseline = results.get(dotImport.name)
  const lines = [...results].map(([name, costs]) => {
    const ratio = (key: keyof Cost) =>
      baseline === undefined ? '–' : (median(costs, key) / median(baseline, key)).toFixed(2)
    const seconds = (key: keyof Cost) => `${median(costs, key).toFixed(1)} s (${spread(costs, key)})`
    const cells = [
      name,
      seconds('wallSeconds'),
      ratio('wallSeconds'),
      seconds('cpuSeconds'),
      ratio('cpuSeconds'),
      `${median(costs, 'peakMegabytes').toFixed(0)} MB`,
    ]
    return `| ${cells.join(' | ')} |`
  })
  return [
    `| ${count(tasks)} tasks | wall time | against \`.import\` | CPU time | against \`.import\` | peak RSS |`,
    '|---|---|---|---|---|---|',
    ...lines,
  ].join('\n')
}

function memory(few: Map<string, Cost[]>, many: Map<string, Cost[]>): string {
  const peak = (results: Map<string, Cost[]>) => median(results.get(vitrine.name) ?? [], 'peakMegabytes').toFixed(0)
  return `Peak RSS of Vitrine: ${peak(few)} MB for ${count(FEW)} tasks, ${peak(many)} MB for ${count(MANY)}.`
}

function median(costs: Cost[], key: keyof Cost): number {
  const sorted = costs.map((cost) => cost[key]).sort((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
}

function spread(costs: Cost[], key: keyof Cost): string {
  const values = costs.map((cost) => cost[key])
  return `${Math.min(...values).toFixed(1)}–${Math.max(...values).toFixed(1)}`
}

const count = (tasks: number): string => tasks.toLocaleString('en')
