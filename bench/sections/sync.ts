import type { BenchOptions } from '../harness/schedule.ts'
import { withTestbed } from '../harness/testbed.ts'
import { deleteWorkspace, dotImport, isSqlite3Here, replaceAll, taskImport, taskSync } from '../import/importers.ts'
import { longestHold } from '../import/lock-watch.ts'
import type { Cost } from '../import/measure-command.ts'
import type { TaskFiles } from '../import/task-files.ts'
import { type Importer, ImportTrials } from '../import/trials.ts'
import { median, ratios, spreadOf } from '../report/statistics.ts'
import { mib, table, withSpread } from '../report/table.ts'

export const title = 'Sync'

const QUICK = 10_000
const FEW = 100_000
const MANY = 1_000_000
const CHANGED_EVERY = 100

export const run = ({ quick, rounds = quick ? 1 : 3 }: BenchOptions): Promise<string> =>
  withTestbed(
    async ({ folder }) => {
      const trials = new ImportTrials(folder)
      await trials.prepare()
      const tasks = quick ? QUICK : FEW
      const parts = [how(tasks), ...(isSqlite3Here() ? [] : [SKIPPED]), await compare(trials, tasks, rounds)]
      if (!quick) parts.push(await memory(trials, MANY))
      parts.push(await holds(trials, quick ? QUICK : MANY))
      return parts.join('\n\n')
    },
    { isPinned: false },
  )

const SKIPPED = '**There is no `sqlite3` on the PATH: the comparison with `.import` was skipped.**'

const how = (tasks: number): string =>
  `A source of ${count(tasks)} tasks is synced for the first time, again when one task in ${CHANGED_EVERY} has another title, ` +
  'and again when nothing has changed; `task import` reads the same files. `.import` can only add, so to bring a newer ' +
  'snapshot in by hand all rows are deleted first, in the same transaction. All three leave the same tasks, and that is checked.'

interface Step {
  name: string
  files: TaskFiles
  /** `sync`, `import` and, where there is one, `sqlite3`. */
  importers: Importer[]
}

async function compare(trials: ImportTrials, tasks: number, rounds: number): Promise<string> {
  const files = await trials.writeTasks(0, tasks)
  const changed = await trials.writeTasks(0, tasks, CHANGED_EVERY)
  const { database: synced } = await trials.fill(taskSync, files)
  const { database: imported } = await trials.fill(taskImport, files)
  const byHand = isSqlite3Here()
  const again = [
    { ...taskSync, start: synced },
    { ...taskImport, start: imported },
    ...(byHand ? [{ ...replaceAll, start: synced }] : []),
  ]
  const steps: Step[] = [
    { name: 'first', files, importers: [taskSync, taskImport, ...(byHand ? [dotImport] : [])] },
    { name: `${100 / CHANGED_EVERY} % changed`, files: changed, importers: again },
    { name: 'unchanged', files, importers: again },
  ]
  const rows: string[][] = []
  for (const step of steps) rows.push(...rowsOf(step, await trials.run(rounds, step.importers, step.files)))
  return table(
    [
      `${count(tasks)} tasks`,
      'wall time, s',
      'CPU time, s',
      'CPU, against `.import`',
      'CPU, against `task import`',
      'peak RSS MiB',
    ],
    rows,
  )
}

function rowsOf({ name, importers }: Step, results: Map<string, Cost[]>): string[][] {
  const [, taskImports, sqlite3] = importers.map((importer) => results.get(importer.name) ?? [])
  const cpu = (costs: Cost[]) => costs.map(({ cpuSeconds }) => cpuSeconds)
  const against = (costs: Cost[], baseline: Cost[] | undefined) => {
    if (baseline === undefined) return '–'
    return costs === baseline ? '1' : withSpread(spreadOf(ratios(cpu(costs), cpu(baseline))))
  }
  return [...results].map(([program, costs]) => [
    `${name}: ${program}`,
    median(costs.map(({ wallSeconds }) => wallSeconds)).toFixed(2),
    median(cpu(costs)).toFixed(2),
    against(costs, sqlite3),
    against(costs, taskImports),
    peakRss(costs),
  ])
}

const peakRss = (costs: Cost[]): string => mib(median(costs.map((cost) => cost.peakRssBytes)))

async function memory(trials: ImportTrials, tasks: number): Promise<string> {
  const files = await trials.writeTasks(0, tasks)
  const changed = await trials.writeTasks(0, tasks, CHANGED_EVERY)
  const { database: start, cost: first } = await trials.fill(taskSync, files)
  const again = async (read: TaskFiles) => [...(await trials.run(1, [{ ...taskSync, start }], read)).values()].flat()
  const inWords = (costs: Cost[]) =>
    `${peakRss(costs)} MiB and ${median(costs.map(({ cpuSeconds }) => cpuSeconds)).toFixed(1)} s of CPU`
  return (
    `Peak RSS of a sync of ${count(tasks)} tasks: the first ${inWords([first])}, one with ${100 / CHANGED_EVERY} % changed ` +
    `${inWords(await again(changed))}, an unchanged one ${inWords(await again(files))}.`
  )
}

const count = (tasks: number): string => tasks.toLocaleString('en')

/** How long others cannot write while every task of a source is new, changed or removed, and while its workspace is deleted. */
async function holds(trials: ImportTrials, tasks: number): Promise<string> {
  const all = await trials.writeTasks(0, tasks)
  const changed = await trials.writeTasks(0, tasks, 1)
  const few = await trials.writeTasks(0, 1)
  const { database } = await trials.fill(taskSync, few)
  const rows: string[][] = []
  const measure = async (name: string, importer: Importer, files: TaskFiles) => {
    let cost: Cost | undefined
    const longestMs = await longestHold(database, async () => {
      cost = await importer.run(database, files)
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
