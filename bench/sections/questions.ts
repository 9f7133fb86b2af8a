import { SqlitePublicStore } from '../../src/database/sqlite/public-store.ts'
import { resources } from '../../src/resources/index.ts'
import { createQuestionDatabase } from '../growth/question-tasks.ts'
import { type Cost, measureQuestion, QUESTIONS } from '../growth/questions.ts'
import type { BenchOptions } from '../harness/schedule.ts'
import { withTestbed } from '../harness/testbed.ts'
import { table } from '../report/table.ts'

export const title = 'Questions'

const READS = 9

/** What a question costs as a workspace grows. */
export const run = ({ quick }: BenchOptions): Promise<string> =>
  withTestbed(
    async ({ folder }) => {
      const sizes = quick ? [100, 10_000] : [100, 10_000, 1_000_000]
      const stores = sizes.map((size) => open(createQuestionDatabase(folder, size)))
      const rows: string[][] = []
      for (const [name, question] of Object.entries(QUESTIONS)) {
        const costs: Cost[] = []
        for (const store of stores) costs.push(await measureQuestion(store, question, READS))
        const [, base] = costs
        rows.push([
          name,
          ...costs.map(({ medianMs }) => medianMs.toFixed(1)),
          costs.length < 3 ? '' : ((costs.at(-1)?.medianMs ?? 0) / Math.max(base?.medianMs ?? 0, 0.5)).toFixed(1),
          Math.max(...costs.map(({ stallMs }) => stallMs)).toFixed(0),
        ])
      }
      for (const store of stores) await store.close()
      const heads = sizes.map((size) => `${size.toLocaleString('en')} tasks`)
      return [
        'A question that is not cached, with its total and digest, SQLite, within the process. Medians of the CPU time in\n' +
          'milliseconds, the ratio of the last size to 10,000 tasks, and the longest turn of the event loop in milliseconds.',
        table(['question', ...heads, 'ratio', 'longest turn'], rows),
      ].join('\n\n')
    },
    { isPinned: false },
  )

const open = (path: string) =>
  new SqlitePublicStore(path, resources, {
    onUseFailure: (error) => {
      throw error
    },
  })
