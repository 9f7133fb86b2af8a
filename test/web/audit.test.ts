import assert from 'node:assert/strict'
import { test } from 'node:test'
import { exchange } from '../support/exchange.ts'
import { createKeyOnPage, KEYS, type signedIn, startSignedIn } from '../support/person.ts'

const AUDIT = '/settings/workspaces/acme/audit'

interface Entry {
  at: string
  actor: string
  action: string
  subject: string
}

const exported = async (browser: Awaited<ReturnType<typeof signedIn>>, query = ''): Promise<Entry[]> => {
  const { text } = await browser.get(`${AUDIT}.ndjson${query}`)
  return text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line))
}

test('the audit log shows who did what, newest first, and exports it', async (t) => {
  const { service, browser } = await startSignedIn(t)
  service.time.now += 1000
  await createKeyOnPage(browser, { label: '=cmd|x, "quoted"' })
  const page = await browser.get(AUDIT)
  assert.equal(page.status, 200)
  assert.match(page.text, /owner@acme\.example/)
  const [newest] = await exported(browser)
  assert.equal(newest?.action, 'key.created')
  assert.equal(newest?.actor, 'owner@acme.example')
  const csv = await browser.get(`${AUDIT}.csv`)
  assert.equal(csv.headers['content-type'], 'text/csv; charset=utf-8')
  assert.match(csv.headers['content-disposition'] ?? '', /^attachment; filename="acme-audit-2026-11-15\.csv"$/)
  assert.match(
    csv.text,
    /^at,actor,action,subject,detail,workspaceId,number,previousHash,hash\r\n2026-11-15T12:00:01\.000Z,owner@acme\.example,key\.created,key_/,
  )
  await service.changeElsewhere("UPDATE workspaces SET timezone = 'Pacific/Kiritimati'")
  const there = await browser.get(`${AUDIT}.csv`)
  assert.match(there.headers['content-disposition'] ?? '', /acme-audit-2026-11-16\.csv/, 'the day in the workspace')
})

test('a key seen in a URL, or in a browser, gets a warning in its row', async (t) => {
  const { service, browser } = await startSignedIn(t)
  const clean = (await browser.get(KEYS)).text
  const inUrl = await service.createKey({ label: 'in a url' })
  const inPage = await service.createKey({ label: 'in a page' })
  const refused = await fetch(`${service.url}/tasks?api_key=${inUrl.token}`)
  assert.equal(refused.status, 401)
  const fromPage = await service.rpc(
    { jsonrpc: '2.0', id: 1, method: 'ping' },
    { authorization: `Bearer ${inPage.token}`, origin: 'https://app.example' },
  )
  assert.equal(fromPage.status, 403)
  await exchange(service.url, `/files/${inUrl.token}/x`)
  await service.rpc({ jsonrpc: '2.0', id: 1, method: 'ping' }, { origin: 'http://localhost:5173' })
  await service.untilRecorded({ leaks: 2 })
  const page = await browser.get(KEYS)
  assert.match(page.text, /URL/)
  assert.doesNotMatch(clean, /seen in a URL/i)
  assert.match(page.text, /May have leaked.*in a URL/s)
  assert.ok(!service.logLines.join('').includes(inUrl.token))
  assert.ok(!(await browser.get(AUDIT)).text.includes(inUrl.token))
})
