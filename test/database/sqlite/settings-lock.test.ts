import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { type TestContext, test } from 'node:test'
import { Browser, fieldOf, KEYS, signedIn } from '../../support/person.ts'
import { startReplica } from '../../support/replicas.ts'
import { startService } from '../../support/service.ts'

test('while another process holds the write lock, pages are read, the API responds, and a change waits its turn', async (t) => {
  const { service, browser, other } = await start(t)
  const page = await browser.get(`${KEYS}/new`)
  const form = {
    csrf: fieldOf(page, 'csrf'),
    once: fieldOf(page, 'once'),
    label: 'patient',
    permissions: 'tasks:read',
    expiry: '30',
  }

  other.exec('BEGIN IMMEDIATE')
  let isMade = false
  const making = browser.post(KEYS, form).then((response) => {
    isMade = true
    return response
  })
  for (let i = 0; i < 20; i++) {
    const response = await fetch(`${browser.url}/tasks`, { headers: { authorization: `Bearer ${service.key}` } })
    assert.equal(response.status, 200)
  }
  // Even a page read by the session whose form waits.
  assert.equal((await browser.get(KEYS)).status, 200)
  assert.equal(isMade, false)
  other.exec('ROLLBACK')
  assert.equal((await making).status, 200)
})

test('a form that waits too long for the write lock gets an explanation, and changes nothing', async (t) => {
  const { service, browser, other } = await start(t)
  const { id } = await service.createKey()
  const form = { csrf: fieldOf(await browser.get(`${KEYS}/${id}/pause`), 'csrf') }
  other.exec('BEGIN IMMEDIATE')
  const response = await browser.post(`${KEYS}/${id}/pause`, form)
  assert.equal(response.status, 503)
  assert.match(response.headers['retry-after'] ?? '', /^[1-9]\d*$/)
  assert.match(response.text, /Nothing was changed: another command has been writing to the database/)
  other.exec('ROLLBACK')
  assert.equal((await browser.post(`${KEYS}/${id}/pause`, form)).status, 303)
})

/** A person at a server, and another command at its database. */
async function start(t: TestContext) {
  const service = await startService(t, { engine: 'sqlite' })
  const { cookies } = await signedIn(service)
  const { databaseUrl, time } = service
  const browser = new Browser((await startReplica(t, { DATABASE_URL: databaseUrl }, () => time.now)).url)
  for (const [name, value] of cookies) browser.cookies.set(name, value)
  const other = new DatabaseSync(databaseUrl.replace('sqlite:', ''))
  t.after(() => other.close())
  return { service, browser, other }
}
