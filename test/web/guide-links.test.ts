import assert from 'node:assert/strict'
import { test } from 'node:test'
import { exchange } from '../support/exchange.ts'
import { KEYS, startSignedIn } from '../support/person.ts'

const HOME = '/settings/workspaces/acme'

test('every kind of page links to an existing section of its guide', async (t) => {
  const { service, browser } = await startSignedIn(t)
  const { id } = await service.createKey()
  const expected: Record<string, string> = {
    [KEYS]: '/docs/settings#the-list-of-keys',
    [`${KEYS}/connect`]: '/docs/settings#creating-a-key',
    [`${KEYS}/new`]: '/docs/settings#creating-a-key',
    [`${KEYS}/${id}`]: '/docs/settings#one-key',
    [`${KEYS}/${id}/edit`]: '/docs/settings#one-key',
    [`${KEYS}/${id}/agent`]: '/docs/settings#what-an-agent-sees',
    [`${KEYS}/${id}/rotate`]: '/docs/settings#rotating-and-revoking-a-key',
    [`${HOME}/members`]: '/docs/settings#roles',
    [`${HOME}/members/new`]: '/docs/settings#roles',
    [`${HOME}/workspace`]: '/docs/filling',
    [`${HOME}/audit`]: '/docs/audit',
    [`${HOME}/sign-ins`]: '/docs/settings#signing-in',
  }
  for (const [path, guide] of Object.entries(expected)) {
    const { text } = await browser.get(path)
    assert.equal(/class="guide" href="([^"]+)">Guide: /.exec(text)?.[1], guide, path)
    const [page = '', section] = guide.split('#')
    const there = await exchange(service.url, page, { headers: { accept: 'text/html' } })
    assert.equal(there.status, 200, guide)
    if (section !== undefined) assert.ok(there.text.includes(` id="${section}"`), guide)
  }
})
