// Run once: each test covers both engines itself.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MANY_DUE } from '../../src/database/lists/background-updates.ts'
import { connectElsewhere, engines, skipWithoutPostgres } from '../support/database.ts'
import { migratedDatabaseUrl } from '../support/migrated-database.ts'
import { startOperator } from '../support/operator.ts'
import { program } from '../support/program.ts'
import { callTool } from '../support/tool-calls.ts'
import { waitUntil } from '../support/wait.ts'

const TASKS = 5000

for (const engine of engines) {
  const options = engine === 'postgres' ? skipWithoutPostgres() : {}
  test(
    `a server on ${engine} that is killed while it marks expired snoozes loses nothing, and the next one continues`,
    options,
    async (t) => {
      const url = await migratedDatabaseUrl(t, engine)
      const operator = await startOperator(t, url)
      const { token } = await operator.createKey()
      await operator.addTasks(
        Array.from({ length: TASKS }, (_, i) => ({
          id: `t${i}`,
          dueAt: new Date(((i * 7919) % TASKS) * 1000).toISOString(),
          snoozedUntil: '2001-01-01T00:00:00.000Z',
        })),
      )
      const elsewhere = await connectElsewhere(url, t)
      const state = async () => {
        const [tasks] = await elsewhere.all<{ marked: number | string }>(
          `SELECT count(*) AS marked FROM tasks WHERE snooze_expired = '1'`,
        )
        return { marked: Number(tasks?.marked), revisions: await elsewhere.all('SELECT * FROM revisions') }
      }
      const vitrine = program(t, { DATABASE_URL: url, RATE_LIMIT: '1000000;w=60' })
      const read = async (base: string) =>
        (await fetch(`${base}/tasks`, { headers: { authorization: `Bearer ${token}` } })).text()

      // On a busy machine all may be marked before the kill arrives: then it is tried again.
      let response = ''
      let revisions: unknown[] = []
      let marked = TASKS
      while (marked === TASKS) {
        await elsewhere.run(`UPDATE tasks SET snooze_expired = '0'`)
        revisions = (await state()).revisions
        const first = await vitrine.start('serve')
        response = await read(first.url)
        await waitUntil(async () => (await state()).marked > 0, { everyMs: 1 })
        await first.stop('SIGKILL')
        marked = (await state()).marked
      }
      assert.ok(marked > 0)

      // A row that the killed server's transaction still holds is skipped, and left to a later read that finds many of them: each
      // query below is a new one, which is not cached.
      const next = await vitrine.start('serve')
      assert.equal(await read(next.url), response)
      let questions = 0
      await waitUntil(
        async () => {
          await callTool({ url: next.url, key: token }, '2025-03-26 on /mcp', 'list_tasks', {
            bookKey: `${questions++}`,
          })
          return (await state()).marked >= TASKS - MANY_DUE
        },
        { everyMs: 100 },
      )
      assert.equal(await read(next.url), response)
      assert.deepEqual((await state()).revisions, revisions)
    },
  )
}
