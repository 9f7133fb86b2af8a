import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { addMember } from '../../support/changes.ts'
import { connectElsewhere, testWithPostgres as test } from '../../support/database.ts'
import { exchange } from '../../support/exchange.ts'
import { migratedDatabaseUrl } from '../../support/migrated-database.ts'
import { startOperator } from '../../support/operator.ts'
import { Browser, KEYS } from '../../support/person.ts'
import { startReplicas } from '../../support/replicas.ts'

async function service(t: TestContext) {
  const url = await migratedDatabaseUrl(t, 'postgres')
  const operator = await startOperator(t, url)
  const [replica] = await startReplicas(t, 1, { DATABASE_URL: url })
  assert.ok(replica)
  const email = 'owner@acme.example'
  await addMember(operator.store, 'acme', { email, role: 'owner' }, 'test', new Date().toISOString())
  const browser = new Browser(replica.url)
  await browser.signIn(operator.store, email)
  assert.equal((await browser.get(KEYS)).status, 200)
  return { url, operator, replica, browser }
}

test('a settings page whose database is stuck returns 503 with Retry-After beyond its limit, and recovers', async (t) => {
  const { url, replica, browser } = await service(t)
  const elsewhere = await connectElsewhere(url, t)
  await elsewhere.run('BEGIN; LOCK TABLE members IN ACCESS EXCLUSIVE MODE')
  const flood = Array.from({ length: 260 }, () => browser.get(KEYS))
  const health = await exchange(replica.url, '/healthz')
  assert.equal(health.status, 200)
  const responses = await Promise.all(flood)
  await elsewhere.run('ROLLBACK')
  const shed = responses.filter(({ status }) => status === 503)
  assert.ok(shed.length > 0, 'none was turned away')
  for (const { headers, text } of shed) {
    assert.equal(headers['retry-after'], '2')
    assert.match(text, /Overloaded|Too many pages at once/)
  }
  assert.ok(responses.every(({ status }) => status === 503 || status === 500))
  assert.equal((await browser.get(KEYS)).status, 200)
})
