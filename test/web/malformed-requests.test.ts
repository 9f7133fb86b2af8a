import assert from 'node:assert/strict'
import { testWith } from '../support/database.ts'
import { type Browser, fieldOf, KEYS, startSignedIn } from '../support/person.ts'

const test = testWith(startSignedIn)

const AUDIT = '/settings/workspaces/acme/audit'
const ID = 'key_0123456789abcdef01'

const odd = [
  ...['%00', 'a%00b', '%ED%A0%80', '%F0%9F', '%C3%28', '%FF', '%', '%zz', '', '%20', '%0A', '%E2%80%AE'],
  ...[
    '-1',
    '0',
    '99999999999999999999',
    '1e999',
    'NaN',
    'Infinity',
    'null',
    'undefined',
    '[]',
    '{}',
    '[object%20Object]',
  ],
  ...["'", '%22', '%3Cscript%3E', '..', '.', '%2e%2e', '%2f', '%5c', '*', '__proto__', 'constructor', 'a'.repeat(4000)],
]
const positions = [
  ...['2026-02-31T00:00:00.000Z_1', '2026-11-15T24:00:00.000Z_1', '2026-11-15T12:60:00.000Z_1'],
  ...['0000-01-01T00:00:00.000Z_1', '2026-13-01T00:00:00.000Z_1_1', '99999-01-01T00:00:00.000Z_1'],
  ...['2026-11-15T12:00:00.000Z_-1', '2026-11-15T12:00:00.000Z_1_1', '2026-11-15T12:00:00.000Z_9999999999999999'],
  ...['2026-11-15T12:00:00.000Z_1%00', '+2026-11-15T12:00:00.000Z_1', 'x', '_1', '2026-11-15T............Z_1'],
]

/** A page for people, or a problem for scripts: never the server's own failure. */
async function refused(browser: Browser, path: string, response = browser.get(path)): Promise<void> {
  const { status } = await response
  assert.ok(status === 400 || status === 404, `${status} for ${path}`)
}

test('a malformed address is a 400 or a 404, on every route', async ({ service, browser }) => {
  const csrf = fieldOf(await browser.get(KEYS), 'csrf')
  for (const text of odd) {
    for (const path of [`${KEYS}/${text}/rotate`, `${KEYS}/${text}/revoke`]) {
      await refused(browser, path)
      await refused(browser, path, browser.post(path, { csrf, once: 'A'.repeat(43), overlap: '0' }))
    }
    await refused(browser, `/settings/workspaces/${text}/keys`)
    await refused(browser, `/settings/workspaces/${text}/audit`)
    await refused(browser, `/settings/assets/${text}/settings.css`)
    await refused(browser, `/api/workspaces/acme/keys/${text}/first-use`)
    await refused(browser, `/api/workspaces/${text}/keys/${ID}/first-use`)
    // Only blanks do not count as a filter.
    if (['', '%20', '%0A'].includes(text)) continue
    for (const path of [AUDIT, `${AUDIT}.csv`, `${AUDIT}.ndjson`]) await refused(browser, `${path}?kind=${text}`)
    // It may be part of a key's prefix.
    assert.ok([200, 400].includes((await browser.get(`${AUDIT}?key=${text}`)).status), text)
    await refused(browser, `${AUDIT}?before=${text}`)
  }
  for (const position of positions) await refused(browser, `${AUDIT}?before=${position}`)
  assert.deepEqual(
    service.logLines.filter((line) => line.includes('"level":50')),
    [],
  )
})

test('an unsupported method is a 405 that names the supported ones', async ({ browser }) => {
  const response = await browser.post(`${KEYS}/new`, {})
  assert.equal(response.status, 405)
  assert.equal(response.headers.allow, 'GET, HEAD')
  assert.match(response.text, /Method not allowed/)
  for (const [path, allowed] of [
    ['/settings/sign-in', 'GET, HEAD'],
    ['/settings/sign-in/link', 'GET, HEAD, POST'],
    ['/settings/sign-out', 'POST'],
    // GET leads to the form's page.
    ['/settings/workspaces/acme/workspace/restore', 'GET, HEAD, POST'],
  ] as const)
    assert.equal((await fetch(browser.url + path, { method: 'DELETE' })).headers.get('allow'), allowed, path)
})
