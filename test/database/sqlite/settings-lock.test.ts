import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { Browser, fieldOf, KEYS, signedIn } from '../../support/person.ts'
import { startReplica } from '../../support/replica.ts'
import { startService } from '../../support/service.ts'

test('while another process holds the write lock, pages are read, the API answers, and a change waits its turn', async (t) => {
  const service = await startService(t, { engine: 'sqlite' })
  const { cookies } = await signedIn(service)
  const browser = new Browser((await startReplica(t, service)).url)
  for (const [name, value] of cookies) browser.cookies.set(name, value)
  const page = await browser.get(`${KEYS}/new`)
  const form = {
    csrf: fieldOf(page, 'csrf'),
    once: fieldOf(page, 'once'),
    label: 'patient',
    permissions: 'tasks:read',
    expiry: '30',
  }

  const other = new DatabaseSync(service.databaseUrl.replace('sqlite:', ''))
  t.after(() => other.close())
  other.exec('BEGIN IMMEDIATE')
  let isMade = false
  const making = browser.post(KEYS, form).then((answer) => {
    isMade = true
    return answer
  })
  for (let i = 0; i < 20; i++) {
    const startedAt = performance.now()
    const answer = await fetch(`${browser.url}/tasks`, { headers: { authorization: `Bearer ${service.key}` } })
    assert.equal(answer.status, 200)
    assert.ok(performance.now() - startedAt < 500)
  }
  assert.equal(isMade, false)
  other.exec('ROLLBACK')
  assert.equal((await making).status, 200)
})
