import assert from 'node:assert/strict'
import { test } from 'node:test'
import { attentionKinds } from '../../../../src/keys/evaluate.ts'
import type { KeyOverview } from '../../../../src/keys/overview.ts'
import { keysPage } from '../../../../src/web/keys/list/list-page.ts'
import { keysModelOf } from '../../../support/sample-listing.ts'
import { ago, ahead, key } from '../../../support/sample-models.ts'

const DAY = 86_400_000
const KEYS = '/settings/workspaces/northwind/keys'
const pageOf = (row: Partial<KeyOverview>) => keysPage(keysModelOf([key('One', 'Report', row)]))

/** As a reader would read it. */
const textOf = (page: string) => page.replace(/<[^>]*>/g, ' ').replace(/\s+/g, ' ')

const successor = { id: 'key_2', label: 'x', works: true }
const rotating = { kind: 'rotating', until: ahead(DAY), stillUsed: true, successor } as const

test('a key that was seen where keys must not be says where and when, and leads to its rotation', () => {
  const leaked = { attention: ['leaked'], warnings: [{ seen: 'url', at: ago(3 * DAY) }] } satisfies Partial<KeyOverview>
  const page = pageOf(leaked)
  assert.match(textOf(page), /May have leaked 1 Report Seen in a URL on 12 Nov 2026 \. Rotate Report/)
  assert.ok(page.includes(`class="button" href="${KEYS}/key_One/rotate"`))
  assert.match(
    textOf(pageOf({ ...leaked, warnings: [{ seen: 'browser', at: ago(DAY) }] })),
    /Seen in a browser on 14 Nov/,
  )
  // Rotated already: what is missing is its end.
  assert.ok(pageOf({ ...leaked, state: rotating }).includes(`class="button" href="${KEYS}/key_One/revoke"`))
})

test('each reason for attention is a sentence with the one link that fixes it', () => {
  const cases: [Partial<KeyOverview>, RegExp, string][] = [
    [{ attention: ['expiring'], expiresAt: ahead(3 * DAY) }, /Expires soon 1 Report Stops working in 3 days/, 'rotate'],
    [{ attention: ['unused'], lastUsedAt: null }, /Never used since it was created on 6 Oct 2026/, 'revoke'],
    [{ attention: ['never_expires'], expiresAt: null }, /Works until someone revokes it/, 'edit'],
    [
      { attention: ['rotation_unfinished'], state: rotating },
      /old key is still being used. It works until 16 Nov 2026, 12:00/,
      '',
    ],
    [
      { attention: ['rotation_unfinished'], state: { ...rotating, successor: { ...successor, works: false } } },
      /The new key has ended/,
      '',
    ],
  ]
  for (const [row, sentence, fix] of cases) {
    const page = pageOf(row)
    assert.match(textOf(page), sentence)
    assert.ok(page.includes(`class="button" href="${KEYS}/key_One${fix && `/${fix}`}"`), String(sentence))
  }
})

test('of many keys with one reason only the number is told, with a link to their list', () => {
  const some = Array.from({ length: 9 }, (_, i) => key(`K${i}`, `Key ${i}`, { attention: ['never_expires'] }))
  const page = keysPage(keysModelOf(some))
  assert.match(page, /Never expires <span class="count">9<\/span><\/h3>/)
  assert.ok(page.includes(`href="${KEYS}?show=never_expires">Show`))
  assert.doesNotMatch(page, /Works until someone/)
})

test('reasons are on top of the plain list, and under the rows of a list about them', () => {
  const row = key('One', 'Report', { attention: [...attentionKinds], state: rotating })
  const panel = /class="panel attention"/
  assert.match(keysPage(keysModelOf([row])), panel)
  for (const view of [{ search: 'rep' }, { show: 'live' }, { show: 'unused' }] as const)
    assert.doesNotMatch(keysPage(keysModelOf([row], view)), panel)
  assert.equal(
    keysPage(keysModelOf([row], { show: 'attention' })).match(/class="note /g)?.length,
    attentionKinds.length,
  )
  assert.equal(keysPage(keysModelOf([row], { show: 'unused' })).match(/class="note /g)?.length, 1)
})

test('a row says in which state a key is, and until when it works', () => {
  assert.match(textOf(pageOf({ state: rotating, retiresAt: ahead(DAY) })), /Rotating ends tomorrow/)
  assert.match(textOf(pageOf({ state: { kind: 'paused', at: ago(DAY) } })), /Paused expires 4 Jan 2027/)
  assert.match(textOf(pageOf({ state: { kind: 'revoked', at: ago(2 * DAY) } })), /Revoked 2 days ago/)
  assert.match(textOf(pageOf({ expiresAt: null })), /Live never expires/)
})

test('a key’s label leads to its page', () => {
  assert.ok(pageOf({}).includes(`<a class="label" id="key0" href="${KEYS}/key_One">`))
})

test('a key that has ended can be neither rotated nor revoked', () => {
  const page = pageOf({ state: { kind: 'revoked', at: ago(DAY) }, warnings: [{ seen: 'url', at: ago(DAY) }] })
  assert.doesNotMatch(page, /\/(rotate|revoke)"/)
})

test('the chart says in words what it shows', () => {
  assert.ok(
    pageOf({ dailyUse: [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1500, 0, 0, 3] }).includes(
      '<title>1,503 requests in the last 14 days, most on 12 Nov 2026: 1,500</title>',
    ),
  )
  assert.ok(pageOf({ dailyUse: Array(14).fill(0) }).includes('<title>No requests in the last 14 days</title>'))
})

test('without keys the page shows the three steps to the first call', () => {
  const page = keysPage(keysModelOf([]))
  assert.match(textOf(page), /Choose how to connect .* Connect your agent or script .* See the first call here/)
  assert.ok(page.includes(`href="${KEYS}/connect"`))
  assert.doesNotMatch(page, /<table/)
})

test('what was searched for stays in the field, and the links keep it with the filter and the order', () => {
  const view = { search: 'a "b"', show: 'live', sort: 'label' } as const
  const page = keysPage(keysModelOf([key('One', 'a "b"')], view, { pages: 3, page: 2 }))
  assert.ok(page.includes('value="a &#34;b&#34;"'))
  assert.ok(page.includes(`href="${KEYS}?q=a+%22b%22&#38;show=live&#38;sort=label&#38;page=3" rel="next"`))
  assert.ok(page.includes(`href="${KEYS}?q=a+%22b%22&#38;show=live&#38;sort=label" rel="prev"`))
  assert.ok(page.includes(`href="${KEYS}?q=a+%22b%22&#38;show=live&#38;sort=used"`))
  assert.ok(page.includes(`href="${KEYS}?q=a+%22b%22&#38;sort=label"`))
  assert.ok(page.includes('name="show" value="live"') && page.includes('name="sort" value="label"'))
})
