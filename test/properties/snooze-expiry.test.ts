import assert from 'node:assert/strict'
import { test } from 'node:test'
import { connectElsewhere, type Elsewhere } from '../support/database.ts'
import { migratedDatabaseUrl } from '../support/migrated-database.ts'
import { startOperator } from '../support/operator.ts'
import { NOON, startService } from '../support/service.ts'
import { waitUntil } from '../support/wait.ts'

const PAST = '2001-01-01T00:00:00.000Z'
const FUTURE = '2099-01-01T00:00:00.000Z'

async function marks(elsewhere: Elsewhere): Promise<Record<string, boolean>> {
  const rows = await elsewhere.all<{ id: string; snooze_expired: number | boolean }>(
    'SELECT id, snooze_expired FROM tasks ORDER BY id',
  )
  return Object.fromEntries(rows.map(({ id, snooze_expired }) => [id, Boolean(snooze_expired)]))
}

const revision = async (elsewhere: Elsewhere) =>
  Number((await elsewhere.all<{ number: number | string }>('SELECT number FROM revisions'))[0]?.number)

test('all tasks that woke are marked in the background, invisibly', async (t) => {
  const service = await startService(t)
  const elsewhere = await connectElsewhere(service.databaseUrl, t)
  const wakes = new Date(NOON + 60_000).toISOString()
  await service.addTasks(
    Array.from({ length: 1500 }, (_, i) => ({
      id: `t${i}`,
      title: `Task ${i}`,
      dueAt: i % 3 === 0 ? null : new Date(NOON + ((i * 7919) % 5000) * 1000).toISOString(),
      bookKey: i % 2 === 0 ? 'even' : null,
      snoozedUntil: i % 500 === 0 ? FUTURE : wakes,
    })),
  )
  await elsewhere.run(`UPDATE tasks SET snooze_expired = '0'`)
  const read = async () => {
    const params = { name: 'list_tasks', arguments: { bookKey: 'even', limit: 50 } }
    const tasks = await service.get('/tasks')
    const call = await service.rpc({ jsonrpc: '2.0', id: 1, method: 'tools/call', params })
    // The etag of a long list changes with its workspace.
    const text = (await call.text()).replace(/\\"etag\\":\\"[^"]*\\"/, '')
    return { etag: tasks.headers.get('etag'), body: await tasks.text(), call: text }
  }
  assert.equal((await read()).body, '{"tasks":[]}')

  service.time.now = NOON + 120_000
  const before = await read()
  const revisionBefore = await revision(elsewhere)
  const isMarked = async () => Object.values(await marks(elsewhere)).filter(Boolean).length === 1497
  await waitUntil(isMarked)
  assert.equal(await revision(elsewhere), revisionBefore)
  // So that the service reads again instead of using its cached response.
  await elsewhere.run(`UPDATE workspaces SET name = 'Acme'`)
  assert.deepEqual(await read(), before)
  assert.equal(JSON.parse(before.body).tasks.length, 100)
  assert.deepEqual(
    service.logLines.filter((line) => line.includes('"level":50')),
    [],
  )
})

test('the mark of a snooze follows, no matter who writes it', async (t) => {
  const url = await migratedDatabaseUrl(t)
  const { addTasks, workspace } = await startOperator(t, url)
  const elsewhere = await connectElsewhere(url, t)
  await addTasks([
    { id: 'a', snoozedUntil: PAST },
    { id: 'b', snoozedUntil: FUTURE },
    { id: 'c', snoozedUntil: PAST },
    { id: 'd', snoozedUntil: FUTURE },
  ])
  assert.deepEqual(await marks(elsewhere), { a: true, b: false, c: true, d: false })
  await addTasks([
    { id: 'a', snoozedUntil: FUTURE },
    { id: 'b', snoozedUntil: PAST },
  ])
  await elsewhere.run(`UPDATE tasks SET snoozed_until = '${FUTURE}' WHERE id = 'c'`)
  await elsewhere.run(`UPDATE tasks SET snoozed_until = '${PAST}' WHERE id = 'd'`)
  await elsewhere.run(`
    INSERT INTO tasks (workspace_id, id, title, snoozed_until, created_at) VALUES
      ('${workspace.id}', 'e', 'E', '${PAST}', '${PAST}'), ('${workspace.id}', 'f', 'F', '${FUTURE}', '${PAST}')`)
  assert.deepEqual(await marks(elsewhere), { a: false, b: true, c: false, d: true, e: true, f: false })
})
