import assert from 'node:assert/strict'
import { test } from 'node:test'
import { connectElsewhere, engineUnderTest } from '../support/database.ts'
import { granted, startConnecting } from './connector.ts'

const LIST_TABLES = {
  sqlite: `SELECT name FROM sqlite_schema WHERE type = 'table'`,
  postgres: `SELECT tablename AS name FROM pg_tables WHERE schemaname = 'vitrine'`,
}

test('no table contains a code or a token, or half of one', async (t) => {
  const { url, issue, redeem, refresh, time } = await startConnecting(t)
  const waiting = await issue()
  const code = await issue()
  const first = granted(await redeem(code)).response
  const second = granted(await refresh(first.refresh_token)).response
  time.now += 1000
  const third = granted(await refresh(second.refresh_token)).response
  const elsewhere = await connectElsewhere(url, t)
  const tables = await elsewhere.all<{ name: string }>(LIST_TABLES[engineUnderTest()])
  assert.ok(tables.length > 15)
  let stored = ''
  for (const { name } of tables) stored += JSON.stringify(await elsewhere.all(`SELECT * FROM "${name}"`))
  assert.ok(stored.includes('agent.example'), 'it was read')
  for (const secret of [waiting, code, ...[first, second, third].flatMap((r) => [r.access_token, r.refresh_token])])
    for (const part of [secret.slice(4, 20), secret.slice(20, 36)]) assert.ok(!stored.includes(part))
})

test("once its minute has passed, a replaced token's salt is forgotten with the next refresh", async (t) => {
  const { connect, refresh, time, tokens } = await startConnecting(t)
  let last = (await connect()).response.refresh_token
  const salts = async () => (await tokens()).filter(({ salt }) => salt !== null).length
  for (const [passed, expected] of [
    [0, 1],
    [60_000, 2],
    [1, 2],
    [3_600_000, 1],
  ] as const) {
    time.now += passed
    last = granted(await refresh(last)).response.refresh_token
    assert.equal(await salts(), expected, String(passed))
  }
})
