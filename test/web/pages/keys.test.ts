import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { KeyOverview } from '../../../src/keys/overview.ts'
import { keysPage } from '../../../src/web/keys/list-page.ts'
import { ago, ahead, chrome, key, keysModel } from '../../support/sample-models.ts'

const DAY = 86_400_000
const pageOf = (row: Partial<KeyOverview>) =>
  keysPage({ chrome, keys: [key('One', 'Report', row)], total: 1, search: '', notice: null })

/** As a reader would read it. */
const textOf = (page: string) => page.replace(/<[^>]*>/g, ' ').replace(/\s+/g, ' ')

test('a key that was seen in a URL says so, with the day, and leads to its rotation', () => {
  const page = pageOf({ warnings: [{ seen: 'url', at: ago(3 * DAY) }] })
  assert.match(textOf(page), /Seen in a URL on 12 Nov 2026 : rotate it\./)
  assert.ok(page.includes('href="/settings/workspaces/northwind/keys/key_One/rotate">Rotate it</a>'))
})

test('a key that was seen in a browser says so', () => {
  assert.match(textOf(pageOf({ warnings: [{ seen: 'browser', at: ago(DAY) }] })), /Seen in a browser on 14 Nov 2026/)
})

const successor = { id: 'key_2', label: 'x', works: true }

test('a key that is being rotated, or has ended, still says where it was seen, and asks for no rotation', () => {
  const states = [
    { kind: 'rotating', until: ahead(DAY), stillUsed: false, successor },
    { kind: 'revoked', at: ago(DAY) },
    { kind: 'expired' },
  ] as const
  for (const state of states) {
    const text = textOf(pageOf({ warnings: [{ seen: 'url', at: ago(3 * DAY) }], state }))
    assert.match(text, /Seen in a URL on 12 Nov 2026 \./, state.kind)
    assert.doesNotMatch(text, /rotate it/i, state.kind)
  }
})

test('a rotating key tells until when it works, and whether it is still used', () => {
  const until = ahead(DAY)
  const quiet = textOf(pageOf({ state: { kind: 'rotating', until, stillUsed: false, successor } }))
  assert.match(quiet, /The old key still works until 16 Nov 2026, 12:00/)
  assert.doesNotMatch(quiet, /still being used/)
  assert.match(textOf(pageOf({ state: { kind: 'rotating', until, stillUsed: true, successor } })), /still being used/)
})

test('a key that has ended can be neither rotated nor revoked', () => {
  const page = pageOf({ state: { kind: 'revoked', at: ago(DAY) }, warnings: [{ seen: 'url', at: ago(DAY) }] })
  assert.doesNotMatch(page, /\/(rotate|revoke)"/)
})

test('the chart says in words what it shows', () => {
  assert.ok(
    pageOf({ dailyUse: [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1500, 0, 0, 3] }).includes(
      'aria-label="1,503 requests in the last 14 days, most on 12 Nov 2026: 1,500"',
    ),
  )
  assert.ok(pageOf({ dailyUse: Array(14).fill(0) }).includes('aria-label="No requests in the last 14 days"'))
})

test('without keys the page explains what a key is for', () => {
  const page = keysPage({ ...keysModel, keys: [], total: 0 })
  assert.match(page, /No keys yet/)
  assert.ok(page.includes('href="/settings/workspaces/northwind/keys/new"'))
  assert.doesNotMatch(page, /<table/)
})

test('what was searched for stays in the field', () => {
  assert.ok(keysPage({ ...keysModel, search: 'a "b"', keys: [] }).includes('value="a &#34;b&#34;"'))
})
