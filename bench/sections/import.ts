import { statSync } from 'node:fs'
import type { BenchOptions } from '../harness/schedule.ts'
import { withTestbed } from '../harness/testbed.ts'
import { dotImport, dotImportThenIndexes, isSqlite3Here, taskImport } from '../import/importers.ts'
import type { Cost } from '../import/measure-command.ts'
import type { TaskFiles } from '../import/task-files.ts'
import { ImportTrials } from '../import/trials.ts'
import { median, ratios, spreadOf } from '../report/statistics.ts'
import { mib, table, withSpread } from '../report/table.ts'

export const title = 'Import'

const FEW = 100_000
const MANY = 1_000_000

export const run = ({ quick, rounds = 1 }: BenchOptions): Promise<string> =>
  withTestbed(
    async ({ folder }) => {
      const trials = new ImportTrials(folder)
      await trials.prepare()
      const isComparable = isSqlite3Here()
      const others = isComparable ? [dotImport] : []
      const skipped = isComparable
        ? []
        : ['**There is no `sqlite3` on the PATH: the comparison with `.import` was skipped.**']
      const few = await trials.writeTasks(0, FEW)
      if (quick) {
        const results = await trials.run(rounds, [taskImport, ...others], few)
        return [how(few, FEW), ...skipped, resultTable(FEW, results)].join('\n\n')
      }
      const many = await trials.writeTasks(0, MANY)
      const manyResults = await trials.run(
        rounds,
        [taskImport, ...others, ...(isComparable ? [dotImportThenIndexes] : [])],
        many,
      )
      const fewResults = await trials.run(rounds, [taskImport], few)
      return [how(many, MANY), ...skipped, resultTable(MANY, manyResults), memory(fewResults, manyResults)].join('\n\n')
    },
    { isPinned: false },
  )

function how({ ndjson, csv }: TaskFiles, tasks: number): string {
  const bytes = (file: string) => Math.round(statSync(file).size / tasks)
  return (
    `${count(tasks)} tasks (${bytes(ndjson)} bytes a line as NDJSON, ${bytes(csv)} as CSV; ids and dues in no order; ` +
    'three of five open) into a workspace without any. Both begin with a copy of the same database, with its indexes, ' +
    'checks and triggers, in WAL mode with `synchronous = FULL` (but for the index of sources, which imported rows are not in and those of ' +
    '`.import` would be); both leave the same rows, and that is checked. ' +
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
  const peak = (results: Map<string, Cost[]>) => peakRss(results.get(taskImport.name) ?? [])
  return `Peak RSS of Vitrine: ${peak(few)} MiB for ${count(FEW)} tasks, ${peak(many)} MiB for ${count(MANY)}.`
}

const count = (tasks: number): string => tasks.toLocaleString('en')
