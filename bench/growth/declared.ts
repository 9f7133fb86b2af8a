import { openPublicStore, parseDatabaseUrl } from '../../src/database/open.ts'
import { loadDeclared } from '../../src/resources/declared/load.ts'
import { resources } from '../../src/resources/index.ts'
import { DECLARED } from '../harness/declared.ts'
import { QUOTA } from '../harness/vitrine.ts'
import { median } from '../report/statistics.ts'
import { table } from '../report/table.ts'
import { createQuestionDatabase } from './question-tasks.ts'
import { measureQuestion, type Question } from './questions.ts'

const READS = 3
const ROUNDS = 3

/** Reads are too short for the clock of CPU time. */
const elapsedMs = () => performance.now()

/** Each finds as many rows in a small list as in a large one. */
const QUESTIONS: Record<string, Question> = {
  'the first page of 100': { filters: {}, limit: 100 },
  'the first 20 of an assignee': { filters: { assigneeEmail: 'person3@northwind.example' }, limit: 20 },
  'of a rare book, with the total': { filters: { bookKey: 'rare' } },
  'a rare word, with the total': { filters: { query: ['zéphyr'] } },
  'a rare word of a rare book, with the total': { filters: { query: ['zéphyr'], bookKey: 'rare' } },
}

/** What a read of a declared list costs as it grows; `folder` has the definitions. */
export async function declaredGrowth(databases: string, folder: string): Promise<string> {
  const sizes = [1000, 100_000]
  const all = [...resources, ...loadDeclared(folder, resources)]
  const list = all.find(({ name }) => name === DECLARED)
  if (list === undefined) throw new Error(`there is no definition of ${DECLARED}`)
  const stores = []
  for (const size of sizes)
    stores.push(
      await openPublicStore(parseDatabaseUrl(await createQuestionDatabase(databases, size, DECLARED, all)), all, {
        defaultQuota: QUOTA,
        onUseFailure: (error) => {
          throw error
        },
      }),
    )
  const rows: string[][] = []
  for (const [name, question] of Object.entries(QUESTIONS)) {
    const costs = stores.map((): number[] => [])
    for (let round = 0; round < ROUNDS; round++)
      for (const [i, store] of stores.entries())
        costs[i]?.push((await measureQuestion(store, question, READS, elapsedMs, list)).medianMs)
    const [base = 0, ...others] = costs.map(median)
    const withRatio = (ms: number) => `${(ms * 1000).toFixed(0)} µs, ×${(ms / base).toFixed(2)}`
    rows.push([name, `${(base * 1000).toFixed(0)} µs`, ...others.map(withRatio)])
  }
  for (const store of stores) await store.close()
  return [
    '### A declared list as it grows',
    'A read that is not cached, within the process: medians, and the ratio to the smallest list.',
    table(['question', ...sizes.map((size) => `${size.toLocaleString('en')} rows`)], rows),
  ].join('\n\n')
}
