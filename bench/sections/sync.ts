import type { BenchOptions } from '../harness/schedule.ts'
import { withTestbed } from '../harness/testbed.ts'
import { deleteWorkspace, insertByHand, replaceByHand, taskImport, taskSync } from '../import/importers.ts'
import { longestHold } from '../import/lock-watch.ts'
import type { Cost } from '../import/measure-command.ts'
import { type Importer, ImportTrials } from '../import/trials.ts'
import { median, ratios, spreadOf } from '../report/statistics.ts'
import { mib, table, withSpread } from '../report/table.ts'

export const title = 'Sync'

const QUICK = 10_000
const FEW = 100_000
const CHANGED_EVERY = 100

export const run = ({ quick, rounds = 1 }: BenchOptions): Promise<string> =>
  withTestbed(
    async ({ folder }) => {
      const trials = new ImportTrials(folder)
      await trials.prepare()
      const tasks = quick ? QUICK : FEW
      return [how(tasks), await compare(trials, tasks, rounds), await holds(trials, tasks)].join('\n\n')
    },
    { isPinned: false },
  )

const how = (tasks: number): string =>
  `A source of ${count(tasks)} tasks is synced for the first time, again when one task in ${CHANGED_EVERY} has another title, ` +
  'and again when nothing has changed; `task import` reads the same files. By hand, a script inserts them in one transaction into ' +
  'a table of its own, and deletes all rows first where there are any. Both commands leave the same tasks, and that is checked.'

interface Step {
  name: string
  file: string
  /** `sync`, `import` and by hand. */
  importers: Importer[]
}

async function compare(trials: ImportTrials, tasks: number, rounds: number): Promise<string> {
  const file = await trials.writeTasks(0, tasks)
  const changed = await trials.writeTasks(0, tasks, CHANGED_EVERY)
  const { database: synced } = await trials.fill(taskSync, file)
  const { database: imported } = await trials.fill(taskImport, file)
  const { database: inserted } = await trials.fill(insertByHand, file)
  const again = [
    { ...taskSync, start: synced },
    { ...taskImport, start: imported },
    { ...replaceByHand, start: inserted },
  ]
  const steps: Step[] = [
    { name: 'first', file, importers: [taskSync, taskImport, insertByHand] },
    { name: `${100 / CHANGED_EVERY} % changed`, file: changed, importers: again },
    { name: 'unchanged', file, importers: again },
  ]
  const rows: string[][] = []
  for (const step of steps) rows.push(...rowsOf(step, await trials.run(rounds, step.importers, step.file)))
  return table(
    [
      `${count(tasks)} tasks`,
      'wall time, s',
      'CPU time, s',
      'CPU, against by hand',
      'CPU, against `task import`',
      'peak RSS MiB',
    ],
    rows,
  )
}

function rowsOf({ name, importers }: Step, results: Map<string, Cost[]>): string[][] {
  const [, taskImports, handMade] = importers.map((importer) => results.get(importer.name) ?? [])
  const cpu = (costs: Cost[]) => costs.map(({ cpuSeconds }) => cpuSeconds)
  const against = (costs: Cost[], baseline: Cost[] | undefined) => {
    if (baseline === undefined) return '–'
    return costs === baseline ? '1' : withSpread(spreadOf(ratios(cpu(costs), cpu(baseline))))
  }
  return [...results].map(([program, costs]) => [
    `${name}: ${program}`,
    median(costs.map(({ wallSeconds }) => wallSeconds)).toFixed(2),
    median(cpu(costs)).toFixed(2),
    against(costs, handMade),
    against(costs, taskImports),
    peakRss(costs),
  ])
}

const peakRss = (costs: Cost[]): string => mib(median(costs.map((cost) => cost.peakRssBytes)))

const count = (tasks: number): string => tasks.toLocaleString('en')

/** How long others cannot write while every task of a source is new, changed or removed, and while its workspace is deleted. */
async function holds(trials: ImportTrials, tasks: number): Promise<string> {
  const all = await trials.writeTasks(0, tasks)
  const changed = await trials.writeTasks(0, tasks, 1)
  const few = await trials.writeTasks(0, 1)
  const { database } = await trials.fill(taskSync, few)
  const rows: string[][] = []
  const measure = async (name: string, importer: Importer, file: string) => {
    let cost: Cost | undefined
    const longestMs = await longestHold(database, async () => {
      cost = await importer.run(database, file)
    })
    rows.push([name, String(longestMs), (cost?.wallSeconds ?? 0).toFixed(1), (cost?.cpuSeconds ?? 0).toFixed(1)])
  }
  await measure('new', taskSync, all)
  await measure('changed', taskSync, changed)
  await measure('removed', taskSync, few)
  await measure('new again', taskSync, all)
  await measure('workspace deleted', deleteWorkspace, all)
  return table([`${count(tasks)} tasks`, 'longest hold of the write lock, ms', 'wall time, s', 'CPU time, s'], rows)
}
