import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createKeyOnPage, type signedIn, startSignedIn } from '../support/person.ts'

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
