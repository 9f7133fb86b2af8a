import { openPublicStore, parseDatabaseUrl } from '../../src/database/open.ts'
import { resources } from '../../src/resources/index.ts'
import { createQuestionDatabase, createQuestionDatabaseOn } from '../growth/question-tasks.ts'
import { type Cost, measureQuestion, QUESTIONS } from '../growth/questions.ts'
import { withPostgres } from '../harness/postgres.ts'
import type { BenchOptions } from '../harness/schedule.ts'
import { withTestbed } from '../harness/testbed.ts'
import { QUOTA } from '../harness/vitrine.ts'
import { table } from '../report/table.ts'

export const title = 'Questions'

const READS = 9

/** What a question costs as a workspace grows. */
export const run = ({ quick }: BenchOptions): Promise<string> =>
  withTestbed(
    async (testbed) => {
      const sizes = quick ? [100, 10_000] : [100, 10_000, 100_000]
      const onSqlite = await measure(sizes, (size) => createQuestionDatabase(testbed.folder, size))
      const onPostgres = await withPostgres(testbed, ({ url }) =>
        measure(
          sizes,
          (size) => createQuestionDatabaseOn(url, size),
          () => performance.now(),
        ),
      )
      return [
        'A question that is not cached, with its total and digest, within the process. Medians in milliseconds, the ratio of\n' +
          'the last size to 10,000 tasks, and the longest turn of the event loop in milliseconds of CPU time.',
        '### SQLite, CPU time',
        onSqlite,
        '### PostgreSQL, elapsed time',
        onPostgres,
      ].join('\n\n')
    },
    { isPinned: false },
  )

async function measure(
  sizes: readonly number[],
  createDatabase: (size: number) => string | Promise<string>,
  clockMs?: () => number,
): Promise<string> {
  const stores = []
  for (const size of sizes) stores.push(await open(await createDatabase(size)))
  const rows: string[][] = []
  for (const [name, question] of Object.entries(QUESTIONS)) {
    const costs: Cost[] = []
    for (const store of stores) costs.push(await measureQuestion(store, question, READS, clockMs))
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
  return table(['question', ...heads, 'ratio', 'longest turn'], rows)
}

const open = (url: string) =>
  openPublicStore(parseDatabaseUrl(url), resources, {
    defaultQuota: QUOTA,
    onUseFailure: (error) => {
      throw error
    },
  })
