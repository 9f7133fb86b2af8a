import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { connectElsewhere, type Engine, onEach, testWithPostgres as test } from '../support/database.ts'
import { migratedDatabaseUrl } from '../support/migrated-database.ts'
import { startOperator } from '../support/operator.ts'

const PAST = '2001-01-01T00:00:00.000Z'
const FUTURE = '2099-01-01T00:00:00.000Z'
const LATER = '2099-06-01T00:00:00.000Z'

async function withKey(t: TestContext, engine: Engine) {
  const url = await migratedDatabaseUrl(t, engine)
  const operator = await startOperator(t, url)
  const elsewhere = await connectElsewhere(url, t)
  const { id } = await operator.createKey()
  const set = (change: string) => elsewhere.run(`UPDATE api_keys SET ${change} WHERE id = '${id}'`)
  const rows = async () => JSON.stringify(await elsewhere.all('SELECT * FROM api_keys ORDER BY id'))
  const refused = async (change: string, message: RegExp) => {
    const before = await rows()
    await assert.rejects(set(change), { message }, change)
    assert.equal(await rows(), before, change)
  }
  return { operator, elsewhere, id, set, refused, rows }
}

onEach('a revoked key stays revoked', async (t, engine) => {
  const { operator, set, refused, id } = await withKey(t, engine)
  await operator.keys.revoke(id)
  for (const value of ['NULL', `'${FUTURE}'`, `'${PAST}'`])
    await refused(`revoked_at = ${value}`, /a revoked key stays revoked; create another key instead/)
  await refused(`label = 'x', revoked_at = NULL`, /stays revoked/)
  await set(`label = 'renamed', rate_limit = 5, rate_window_seconds = 60`)
})

for (const [column, ended] of [
  ['expires_at', 'expired'],
  ['retires_at', 'retired'],
])
  onEach(`a key that is ${ended} stays ${ended}, and a live one may be extended`, async (t, engine) => {
    const { set, refused } = await withKey(t, engine)
    for (const value of [`'${FUTURE}'`, `'${LATER}'`, 'NULL', `'${PAST}'`]) await set(`${column} = ${value}`)
    for (const value of ['NULL', `'${FUTURE}'`, `'2001-01-01T00:00:00.001Z'`])
      await refused(`${column} = ${value}`, new RegExp(`${ended} key stays ${ended}; create another key instead`))
    await refused(`label = 'x', ${column} = NULL`, new RegExp(`stays ${ended}`))
    await set(`${column} = '2000-01-01T00:00:00.000Z'`)
    await set(`label = 'renamed', paused_at = '${PAST}'`)
    await set('paused_at = NULL')
  })

onEach("the database's own clock says when a key has expired", async (t, engine) => {
  const { elsewhere, set, refused, id } = await withKey(t, engine)
  const soon = new Date(Date.now() + 1500).toISOString()
  await set(`expires_at = '${soon}'`)
  await elsewhere.run('BEGIN')
  while (Date.now() <= Date.parse(soon) + 50) await pause(50)
  // Also in a transaction that began before.
  await assert.rejects(elsewhere.run(`UPDATE api_keys SET expires_at = NULL WHERE id = '${id}'`), /stays expired/)
  await elsewhere.run('ROLLBACK')
  await refused('expires_at = NULL', /stays expired/)
})

onEach('a key’s identity never changes', async (t, engine) => {
  const { refused } = await withKey(t, engine)
  for (const change of [
    `id = 'key_other'`,
    `workspace_id = 'ws_other'`,
    `hash = 'another'`,
    `prefix = 'vtr_other1'`,
    `created_at = '${PAST}'`,
  ])
    await refused(change, /a key keeps its id, workspace, hash, prefix and time of creation/)
})

onEach('overwriting a revoked key does not revive it', async (t, engine) => {
  const { operator, elsewhere, id, rows } = await withKey(t, engine)
  await operator.keys.revoke(id)
  const before = await rows()
  const columns = 'id, workspace_id, hash, prefix, label, permissions, created_by, created_at'
  const upsert = `INSERT INTO api_keys (${columns}) SELECT ${columns} FROM api_keys WHERE true`
  const attempts = [`${upsert} ON CONFLICT (id) DO UPDATE SET revoked_at = NULL`, upsert]
  if (engine === 'sqlite')
    attempts.push(upsert.replace('INSERT', 'INSERT OR REPLACE'), upsert.replace('INSERT', 'REPLACE'))
  for (const attempt of attempts) await assert.rejects(elsewhere.run(attempt), attempt)
  assert.equal(await rows(), before)
})

/** What another replica has done to a key and not yet committed, and a way to see that another session waits for it. */
async function uncommitted(t: TestContext, url: string, statements: string) {
  const elsewhere = await connectElsewhere(url, t)
  // A connection of its own: within a transaction, other sessions' changes are not visible.
  const watcher = await connectElsewhere(url, t)
  const blocked = `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`
  await elsewhere.run(`BEGIN; ${statements}`)
  return {
    async commitWhenAwaited() {
      while ((await watcher.all(blocked)).length === 0) await pause(20)
      await elsewhere.run('COMMIT')
    },
  }
}

test('if two replicas pause, resume, change or revoke a key at once, the later one gets an error', async (t) => {
  const url = await migratedDatabaseUrl(t, 'postgres')
  const { keys, createKey } = await startOperator(t, url)
  const [{ id }, { id: another }] = [await createKey(), await createKey()]
  const races: [change: string, work: () => Promise<unknown>, reason: string | undefined, of?: string][] = [
    ['paused_at = now()', () => keys.pause(id), 'paused'],
    ['paused_at = NULL', () => keys.resume(id), 'not_paused'],
    ['paused_at = now()', () => keys.resume(id), undefined],
    [`retires_at = '${FUTURE}'`, () => keys.cancelRotation(id), undefined],
    ['retires_at = NULL', () => keys.cancelRotation(id), 'not_rotating'],
    ['revoked_at = now()', () => keys.update(id, { label: 'y' }), 'ended'],
    ['revoked_at = now()', () => keys.revoke(another), 'ended', another],
  ]
  for (const [change, work, reason, of = id] of races) {
    const other = await uncommitted(t, url, `UPDATE api_keys SET ${change} WHERE id = '${of}'`)
    const waiting = work().then(
      () => undefined,
      (error) => error.reason,
    )
    await other.commitWhenAwaited()
    assert.equal(await waiting, reason, change)
  }
})
