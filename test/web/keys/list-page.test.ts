import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type AttentionKind, attentionKinds } from '../../../src/keys/evaluate.ts'
import type { ListingRequest } from '../../../src/keys/listing.ts'
import type { KeyOverview } from '../../../src/keys/overview.ts'
import { keysPage } from '../../../src/web/keys/list.ts'
import { sparkline } from '../../../src/web/keys/use-charts.ts'
import { wordsOf } from '../../support/person.ts'
import { keysModelOf } from '../../support/sample-listing.ts'
import { ago, ahead, key } from '../../support/sample-models.ts'

const DAY = 86_400_000
const KEYS = '/settings/workspaces/northwind/keys'
const pageOf = (row: Partial<KeyOverview>) => keysPage(keysModelOf([key('One', 'Report', row)]))

const successor = { id: 'key_2', label: 'x', works: true }
const rotating = { kind: 'rotating', until: ahead(DAY), stillUsed: true, successor } as const

/** The list for a reason, with more details of each key. */
const listAbout = (kind: AttentionKind, row: Partial<KeyOverview>) =>
  keysPage(keysModelOf([key('One', 'Report', { attention: [kind], ...row })], { show: kind }))

test('a leaked key is red, shows where and when it was seen, and links to its rotation', () => {
  const leaked = { attention: ['leaked'], leak: { seen: 'url', at: ago(3 * DAY) } } satisfies Partial<KeyOverview>
  const page = pageOf(leaked)
  assert.match(wordsOf(page), /Needs attention May have leaked 1/)
  assert.match(wordsOf(page), /Report vtr_Onexxx… Leaked\? in a URL, 3 days ago/)
  assert.match(page, /<tbody role="rowgroup" class="leaked">/)
  const about = listAbout('leaked', leaked)
  assert.match(wordsOf(about), /May have leaked\. Seen in a URL on 12 Nov 2026 \. Rotate/)
  assert.ok(about.includes(`<a href="${KEYS}/key_One/rotate">Rotate</a>`))
  const browser = { ...leaked, leak: { seen: 'browser' as const, at: ago(DAY) } }
  assert.match(wordsOf(listAbout('leaked', browser)), /Seen in a browser on 14 Nov/)
  // Rotated already: only its end is missing.
  assert.ok(listAbout('leaked', { ...leaked, state: rotating }).includes(`<a href="${KEYS}/key_One/revoke">Revoke</a>`))
})

test('each reason for attention is a sentence with the one link that fixes it', () => {
  const dead = { ...rotating, successor: { ...successor, works: false } }
  const cases: [AttentionKind, Partial<KeyOverview>, RegExp, string][] = [
    ['expiring', { expiresAt: ahead(3 * DAY) }, /Expiring\. Stops working in 3 days/, '/rotate'],
    // The end of a day is not the next day.
    ['expiring', { expiresAt: '2026-11-18T00:00:00.000Z' }, /Expiring\. Stops working in 2 days/, '/rotate'],
    ['unused', { lastUsedAt: null }, /Never used since it was created on 6 Oct 2026/, '/revoke'],
    ['rotation_unfinished', { state: rotating }, /old key is still being used. It works until 16 Nov 2026, 12:00/, ''],
    ['rotation_unfinished', { state: dead }, /The new key has ended/, ''],
  ]
  for (const [kind, row, sentence, fix] of cases) {
    const page = listAbout(kind, row)
    assert.match(wordsOf(page), sentence)
    const note = page.slice(page.indexOf('class="note '))
    assert.ok(note.includes(`<a href="${KEYS}/key_One${fix}">`), String(sentence))
  }
})

test('keys that need attention are counted in one line on every list, the most urgent first', () => {
  const row = key('One', 'Report', { attention: [...attentionKinds], state: rotating })
  const bar = (view: Partial<ListingRequest>) =>
    /class="panel attention".*?<\/nav>/s.exec(keysPage(keysModelOf([row], view)))?.[0] ?? ''
  for (const view of [{}, { search: 'rep' }, { show: 'live' }, { show: 'unused' }, { page: 2 }] as const)
    assert.deepEqual(
      [...bar(view).matchAll(/href="[^"]*\?show=(\w+)"/g)].map(([, show]) => show),
      ['attention', ...attentionKinds],
    )
  assert.doesNotMatch(pageOf({ expiresAt: null }), /class="panel attention"/, 'that it never expires is in order')
  assert.ok(pageOf({ expiresAt: null }).includes(`href="${KEYS}?show=never_expires">Never expires`))
})

test('a list by reason explains the reasons under its rows', () => {
  const row = key('One', 'Report', { attention: [...attentionKinds], state: rotating })
  const notes = (view: Partial<ListingRequest>) => keysPage(keysModelOf([row], view)).match(/class="note /g)?.length
  assert.equal(notes({}), undefined)
  assert.equal(notes({ show: 'attention' }), attentionKinds.length)
  assert.equal(notes({ show: 'unused' }), 1)
})

test('a key lists its permissions only if they are limited', () => {
  const limits = (row: Partial<KeyOverview>) =>
    [...pageOf(row).matchAll(/<span class="limit">(.*?)<\/span>/g)].map(([, text = '']) => wordsOf(text).trim())
  assert.deepEqual(limits({}), [])
  assert.deepEqual(limits({ permissions: ['workspace:read', 'tasks:read', 'orders:read'] }), [])
  assert.deepEqual(limits({ permissions: ['tasks:read', 'orders:read'] }), ['tasks:read + 1'])
  const limited = { quota: { limit: 120, windowSeconds: 60 }, networks: ['10.0.0.0/8'] }
  assert.deepEqual(limits(limited), ['120 per 60 s', '1 network'])
})

test("a row shows a key's state, and until when it works", () => {
  assert.match(wordsOf(pageOf({ state: rotating, retiresAt: ahead(DAY) })), /Rotating ends tomorrow/)
  assert.match(wordsOf(pageOf({ state: { kind: 'paused', at: ago(DAY) } })), /Paused expires 4 Jan 2027/)
  assert.match(wordsOf(pageOf({ state: { kind: 'revoked', at: ago(2 * DAY) } })), /Revoked 2 days ago/)
  assert.match(wordsOf(pageOf({ expiresAt: null })), /Live never expires/)
})

test('a key that may have leaked is red while it works, and no longer once it has ended', () => {
  const leak: KeyOverview['leak'] = { seen: 'url', at: ago(DAY) }
  const pills = (key: Partial<KeyOverview>) =>
    [...pageOf({ leak, ...key }).matchAll(/<span class="pill (\w+)">/g)].map(([, kind]) => kind)
  assert.deepEqual(pills({}), ['leaked'])
  assert.deepEqual(pills({ state: { kind: 'paused', at: ago(DAY) } }), ['leaked', 'paused'])
  assert.deepEqual(pills({ state: { kind: 'revoked', at: ago(DAY) } }), ['revoked'])
})

test('a key’s label leads to its page', () => {
  assert.ok(pageOf({}).includes(`<a class="label" id="key0" href="${KEYS}/key_One">`))
})

test('an ended key can be neither rotated nor revoked', () => {
  const page = pageOf({ state: { kind: 'revoked', at: ago(DAY) }, leak: { seen: 'url', at: ago(DAY) } })
  assert.doesNotMatch(page, /\/(rotate|revoke)"/)
})

test('the chart has a description in words', () => {
  assert.ok(
    pageOf({ dailyUse: [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1500, 0, 0, 3] }).includes(
      '<title>1,503 requests in the last 14 days, most on 12 Nov 2026: 1,500</title>',
    ),
  )
  const refused = pageOf({ dailyUse: [...Array(13).fill(0), 100], dailyRefused: [...Array(13).fill(0), 1] })
  assert.ok(refused.includes('<title>100 requests in the last 14 days, 1 refused, most on 15 Nov 2026: 100</title>'))
  assert.ok(refused.includes('<path d="M80 24v-22"/><path class="hatched" d="M80 2v-2"/>'), 'it stays visible')
  assert.ok(pageOf({ dailyUse: Array(14).fill(0) }).includes('<title>No requests in the last 14 days</title>'))
})

test('the chart names the right day after the clocks have changed', () => {
  // In New York, 8 March had 23 hours.
  const time = { nowMs: Date.parse('2026-03-09T04:30:00Z'), timezone: 'America/New_York' }
  const { text } = sparkline({ dailyUse: [...Array(12).fill(0), 5, 0], dailyRefused: Array(14).fill(0) }, time)
  assert.ok(text.includes('most on 8 Mar 2026: 5'))
})

test('without keys the page shows the three steps to the first call', () => {
  const page = keysPage(keysModelOf([]))
  assert.match(wordsOf(page), /Choose how to connect .* Connect your agent or script .* See the first call here/)
  assert.ok(page.includes(`href="${KEYS}/connect"`))
  assert.doesNotMatch(page, /<table/)
})

test('the search text stays in the field, and the links keep it with the filter and the order', () => {
  const view = { search: 'a "b"', show: 'live', sort: 'label' } as const
  const page = keysPage(keysModelOf([key('One', 'a "b"')], view, { pages: 3, page: 2 }))
  assert.ok(page.includes('value="a &#34;b&#34;"'))
  assert.ok(page.includes(`href="${KEYS}?q=a+%22b%22&#38;show=live&#38;sort=label&#38;page=3" rel="next"`))
  assert.ok(page.includes(`href="${KEYS}?q=a+%22b%22&#38;show=live&#38;sort=label" rel="prev"`))
  assert.ok(page.includes(`href="${KEYS}?q=a+%22b%22&#38;show=live&#38;sort=used"`))
  assert.ok(page.includes(`href="${KEYS}?q=a+%22b%22&#38;sort=label"`))
  assert.ok(page.includes('name="show" value="live"') && page.includes('name="sort" value="label"'))
})
