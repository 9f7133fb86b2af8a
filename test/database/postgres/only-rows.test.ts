import assert from 'node:assert/strict'
import { runs, testWithPostgres as test } from '../../support/database.ts'
import { migratedDatabaseUrl } from '../../support/migrated-database.ts'
import { startOperator } from '../../support/operator.ts'
import { getFrom, type Replica, startReplicas } from '../../support/replicas.ts'
import { callTool } from '../../support/tool-calls.ts'

const KEYS = 10
const TASKS = 60
const AT_ONCE = 40

/** A word that only this book's tasks have, in each of their texts. */
const book = (n: number) => `book-${n % KEYS}x`
const booksIn = (text: string) => [...new Set(text.match(/book-\dx/g) ?? [])].sort()

test('requests of keys with different limits to two replicas mix nothing while tasks change', async (t) => {
  const url = await migratedDatabaseUrl(t, 'postgres')
  const { keys, addTasks } = await startOperator(t, url)
  const write = (round: number) =>
    addTasks(
      Array.from({ length: TASKS }, (_, n) => ({
        ...{ id: `${book(n)}-${n}`, title: book(n), details: `${book(n)} ${round}`, bookKey: book(n) },
        assigneeEmail: `${book(n)}@x.example`,
      })),
    )
  await write(0)
  const replicas = await startReplicas(t, 2, { DATABASE_URL: url, RATE_LIMIT: '1000000;w=60' })

  const readers = await Promise.all(
    Array.from({ length: KEYS }, async (_, n) => {
      const books = [book(n), book(n + 1)].sort()
      const addresses = books.map((each) => `${each}@x.example`)
      const tasks = n % 2 === 0 ? { bookKey: books } : { assigneeEmail: addresses }
      const newKey = { label: 'x', permissions: ['tasks:read'], quota: null, expiresAt: null, only: { tasks } }
      const { token } = await keys.create('acme', newKey)
      return { token, books }
    }),
  )

  const ways = [
    async (replica: Replica, key: string) => (await getFrom(replica, key)).text(),
    ...[{ limit: 100 }, { countBy: 'bookKey' }, { query: 'book' }, { bookKey: 'book' }].map(
      (args) => async (replica: Replica, key: string) =>
        (await callTool({ url: replica.url, key }, '2026-07-28 on /v2/mcp', 'list_tasks', args)).text,
    ),
  ]
  let next = 0
  const total = process.env.PROPERTY_RUNS === 'all' ? 10_000 : runs(1600)
  const work = async () => {
    for (let n = next++; n < total; n = next++) {
      if (n % 500 === 0) await write(n)
      const { token, books } = readers[n % KEYS] ?? { token: '', books: [] }
      const ask = ways[Math.trunc(n / KEYS) % ways.length]
      const text = (await ask?.(replicas[n % 2 === (n >> 4) % 2 ? 0 : 1] as Replica, token)) ?? ''
      assert.deepEqual(booksIn(text), books, text)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
})
