import assert from 'node:assert/strict'
import { test } from 'node:test'
import { updateWorkspace } from '../support/changes.ts'
import { exchange } from '../support/exchange.ts'
import { createKeyOnPage, KEYS, type signedIn, startSignedIn } from '../support/person.ts'
import type { Service } from '../support/service.ts'

const AUDIT = '/settings/workspaces/acme/audit'

interface Entry {
  at: string
  actor: string
  action: string
  subject: string
  detail: { label?: string; count?: number }
}

const exported = async (browser: Awaited<ReturnType<typeof signedIn>>, query = ''): Promise<Entry[]> => {
  const { text } = await browser.get(`${AUDIT}.ndjson${query}`)
  return text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line))
}

const read = (service: Service, token: string, headers: Record<string, string> = {}, path = '/tasks') =>
  fetch(service.url + path, { headers: { authorization: `Bearer ${token}`, ...headers } })

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

test('sign-ins are among the entries about members', async (t) => {
  const { browser } = await startSignedIn(t)
  const entries = await exported(browser, '?kind=members')
  assert.deepEqual(
    entries.map(({ action }) => action),
    ['session.started', 'member.link_made', 'member.added'],
  )
})

test('revoked, expired, damaged, limited and forbidden keys are counted, each under its key', async (t) => {
  const { service, browser } = await startSignedIn(t)
  const revoked = await service.createKey({ label: 'revoked one' })
  await service.keys.revoke(revoked.id)
  const expired = await service.createKey({
    label: 'expired one',
    expiresAt: new Date(service.time.now + 1000).toISOString(),
  })
  const limited = await service.createKey({ label: 'limited one', quota: { limit: 1, windowSeconds: 60 } })
  const narrow = await service.createKey({ label: 'narrow one', permissions: ['workspace:read'] })
  service.time.now += 1000
  const rpc = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'list_tasks' } }
  await Promise.all([
    read(service, revoked.token),
    read(service, revoked.token),
    read(service, expired.token),
    read(service, narrow.token),
    service.rpc(rpc, { authorization: `Bearer ${narrow.token}` }),
    read(service, service.key.slice(0, -3)),
    read(service, `vtr_${'x'.repeat(49)}`),
    read(service, 'nonsense'),
    read(service, limited.token),
    read(service, limited.token),
    read(service, limited.token),
  ])
  await service.untilRecorded({ incidents: 8 })
  const entries = await exported(browser, '?kind=refusals')
  const told = entries.map(({ action, detail }) => `${action} ${detail.label} ${detail.count}`).sort()
  assert.deepEqual(told, [
    'key.refused.expired expired one 1',
    'key.refused.forbidden narrow one 2',
    'key.refused.over_quota limited one 2',
    'key.refused.revoked revoked one 2',
    'key.refused.unknown test 1',
  ])
  assert.ok(
    entries.every(({ actor }) => actor === 'node at 127.0.0.1'),
    JSON.stringify(entries),
  )
  const [only, ...others] = await exported(browser, `?kind=refusals&key=${limited.id}`)
  assert.equal(only?.subject, limited.id)
  assert.deepEqual(others, [])
  assert.equal((await browser.get(`${AUDIT}?kind=refusals&key=${limited.id}`)).status, 200)
})

test('a key seen in a URL, or in a browser, gets a warning in its row and in the audit log', async (t) => {
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
  await service.untilRecorded({ incidents: 3 })
  const entries = await exported(browser, '?kind=warnings')
  assert.deepEqual(entries.map(({ action, detail }) => `${action} ${detail.label} ${detail.count}`).sort(), [
    'key.seen.browser in a page 1',
    'key.seen.url in a url 2',
  ])
  const page = await browser.get(KEYS)
  assert.match(page.text, /URL/)
  assert.doesNotMatch(clean, /seen in a URL/i)
  assert.match(page.text, /Leaked\?.*in a URL/s)
  assert.ok(!service.logLines.join('').includes(inUrl.token))
  assert.ok(!(await browser.get(AUDIT)).text.includes(inUrl.token))
})

test('a name that looks like a time, but is none, is shown as it is', async (t) => {
  const { service, browser } = await startSignedIn(t)
  const name = '2026-11-18T25:00Z'
  await updateWorkspace(service.operator, 'acme', { name }, 'cli')
  const page = await browser.get(AUDIT)
  assert.equal(page.status, 200)
  assert.match(page.text.replace(/<[^>]+>/g, ''), new RegExp(`→ ${name} `))
})
