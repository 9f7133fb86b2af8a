import { spawnSync } from 'node:child_process'
import { statSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import type { BenchOptions } from '../harness/schedule.ts'
import { withTestbed } from '../harness/testbed.ts'
import { PROGRAM } from '../harness/vitrine.ts'
import { type Cost, measureCommand } from '../import/measure-command.ts'
import type { TaskFiles } from '../import/task-files.ts'
import { type Importer, ImportTrials, SLUG } from '../import/trials.ts'
import { median, ratios, spreadOf } from '../report/statistics.ts'
import { mib, table, withSpread } from '../report/table.ts'

export const title = 'Import'

const FEW = 100_000
const MANY = 1_000_000

const vitrine: Importer = {
  name: '`vitrine task import`',
  run: (database, { ndjson }) =>
    measureCommand(PROGRAM, ['task', 'import', '--workspace', SLUG, ndjson], { DATABASE_URL: `sqlite:${database}` }),
}

/** `.import` makes one transaction by itself. Each step is an SQL statement or a command of the shell. */
const sqlite3 = (database: string, csv: string, { before = [], after = [] }: { before?: string[]; after?: string[] }) =>
  measureCommand('sqlite3', [
    '-bail',
    database,
    'PRAGMA synchronous = FULL',
    ...before,
    '.mode csv',
    `.import ${csv} tasks`,
    ...after,
  ])

const dotImport: Importer = {
  name: '`sqlite3 .import`',
  run: (database, { csv }) => sqlite3(database, csv, {}),
}

/** What someone who knows SQLite well would do by hand. */
const byHand: Importer = {
  name: '`sqlite3 .import`, indexes dropped before and created after',
  run: (database, { csv }) => {
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

export const run = ({ quick, rounds = 1 }: BenchOptions): Promise<string> =>
  withTestbed(
    async ({ folder }) => {
      const trials = new ImportTrials(folder)
      await trials.prepare()
      const isComparable = spawnSync('sqlite3', ['--version']).status === 0
      const others = isComparable ? [dotImport] : []
      const skipped = isComparable
        ? []
        : ['**There is no `sqlite3` on the PATH: the comparison with `.import` was skipped.**']
      const few = await trials.writeTasks(0, FEW)
      if (quick) {
        const results = await trials.run(rounds, [vitrine, ...others], few)
        return [how(few, FEW), ...skipped, resultTable(FEW, results)].join('\n\n')
      }
      const many = await trials.writeTasks(0, MANY)
      const manyResults = await trials.run(rounds, [vitrine, ...others, ...(isComparable ? [byHand] : [])], many)
      const fewResults = await trials.run(rounds, [vitrine], few)
      return [how(many, MANY), ...skipped, resultTable(MANY, manyResults), memory(fewResults, manyResults)].join('\n\n')
    },
    { isPinned: false },
  )

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

function resultTable(tasks: number, results: Map<string, Cost[]>): string {
  const baseline = results.get(dotImport.name)
  const figures = (costs: Cost[], key: keyof Cost) => costs.map((cost) => cost[key])
  const against = (costs: Cost[], key: keyof Cost) => {
    if (baseline === undefined) return '–'
    return costs === baseline ? '1' : withSpread(spreadOf(ratios(figures(costs, key), figures(baseline, key))))
  }
  return table(
    [`${count(tasks)} tasks`, 'wall time, s', 'against `.import`', 'CPU time, s', 'against `.import`', 'peak RSS MiB'],
    [...results].map(([name, costs]) => [
      name,
      median(figures(costs, 'wallSeconds')).toFixed(1),
      against(costs, 'wallSeconds'),
      median(figures(costs, 'cpuSeconds')).toFixed(1),
      against(costs, 'cpuSeconds'),
      peakRss(costs),
    ]),
  )
}

const peakRss = (costs: Cost[]): string => mib(median(costs.map((cost) => cost.peakRssBytes)))

function memory(few: Map<string, Cost[]>, many: Map<string, Cost[]>): string {
  const peak = (results: Map<string, Cost[]>) => peakRss(results.get(vitrine.name) ?? [])
  return `Peak RSS of Vitrine: ${peak(few)} MiB for ${count(FEW)} tasks, ${peak(many)} MiB for ${count(MANY)}.`
}

const count = (tasks: number): string => tasks.toLocaleString('en')
