import { statSync } from 'node:fs'
import type { BenchOptions } from '../harness/schedule.ts'
import { withTestbed } from '../harness/testbed.ts'
import { insertByHand, taskImport } from '../import/importers.ts'
import type { Cost } from '../import/measure-command.ts'
import { ImportTrials } from '../import/trials.ts'
import { median, ratios, spreadOf } from '../report/statistics.ts'
import { mib, table, withSpread } from '../report/table.ts'

export const title = 'Import'

const TASKS = 100_000

export const run = ({ rounds = 1 }: BenchOptions): Promise<string> =>
  withTestbed(
    async ({ folder }) => {
      const trials = new ImportTrials(folder)
      await trials.prepare()
      const few = await trials.writeTasks(0, TASKS)
      const results = await trials.run(rounds, [taskImport, insertByHand], few)
      return [how(few), resultTable(results)].join('\n\n')
    },
    { isPinned: false },
  )

const how = (file: string): string =>
  `${count(TASKS)} tasks (NDJSON, ${Math.round(statSync(file).size / TASKS)} bytes a line; ids and dues in no order; three of ` +
  'five open) into a workspace without any. "By hand" is a script that inserts each line with one statement, in one transaction, ' +
  'into one table with one index, and checks nothing. Both write a copy of the same database, in WAL mode with `synchronous = FULL`.'

function resultTable(results: Map<string, Cost[]>): string {
  const baseline = results.get(insertByHand.name)
  const figures = (costs: Cost[], key: keyof Cost) => costs.map((cost) => cost[key])
  const against = (costs: Cost[], key: keyof Cost) => {
    if (baseline === undefined) return '–'
    return costs === baseline ? '1' : withSpread(spreadOf(ratios(figures(costs, key), figures(baseline, key))))
  }
  return table(
    [`${count(TASKS)} tasks`, 'wall time, s', 'against by hand', 'CPU time, s', 'against by hand', 'peak RSS MiB'],
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

const count = (tasks: number): string => tasks.toLocaleString('en')
