// Run once: the pages are built from models, without a database.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { keyPage } from '../../../../src/web/keys/key/details.ts'
import { keyHistoryPage } from '../../../../src/web/keys/key/history.ts'
import { barChart, useSummary } from '../../../../src/web/keys/use-charts.ts'
import { textOf } from '../../../support/key-forms.ts'
import {
  busyDays,
  detail,
  hostileCallers,
  type keyDetails,
  keyModel,
  sampleKeyPages,
} from '../../../support/sample-key-pages.ts'
import { ago, ahead, frame, key } from '../../../support/sample-models.ts'

const DAY = 86_400_000
const textOfState = (name: keyof typeof keyDetails) => textOf(sampleKeyPages[name]?.() ?? '')

/** The bars of one outcome: where each begins and ends, from the bottom up. */
const barsIn = (chart: string, name: string) => {
  const path = new RegExp(`<path class="${name}"[^>]* d="([^"]*)"/>`).exec(chart)?.[1] ?? ''
  return [...path.matchAll(/M[\d.]+ ([\d.]+)v-([\d.]+)/g)].map(([, bottom = '', height = '']) => [
    100 - Number(bottom),
    100 - Number(bottom) + Number(height),
  ])
}

test('one refused request among thousands is visible, and no bar exceeds the chart', () => {
  const busy = barChart(busyDays).text
  assert.deepEqual([barsIn(busy, 'served').length, barsIn(busy, 'refused').length], [30, 10])
  assert.ok((busy.match(/<(path|title)\b/g) ?? []).length < 80, 'few elements')
  const both = (served: number, forbidden: number) => {
    const chart = barChart([{ day: '2026-11-15', served, refused: { forbidden } }]).text
    return [...barsIn(chart, 'served'), ...barsIn(chart, 'refused')]
  }
  assert.deepEqual(both(9_999, 1), [
    [0, 98],
    [98, 100],
  ])
  assert.deepEqual(both(1, 9_999), [
    [0, 2],
    [2, 100],
  ])
  assert.deepEqual(both(0, 7), [[0, 100]])
})

test('the sentence above the chart describes it', () => {
  assert.equal(
    useSummary(busyDays),
    '30,439 requests in the last 30 days: 28,513 served, 1,926 refused (840 over its limit, 1 not permitted, 260 with a damaged key, 90 sent by a browser, 620 while paused, 40 after its expiry, 75 after it was revoked). Busiest day: 13 Nov 2026 (1,414).',
  )
  assert.equal(
    useSummary(busyDays.map(({ day }) => ({ day, served: 0, refused: {} }))),
    'No requests in the last 30 days.',
  )
})

test('each state explains what to know and what to do', () => {
  assert.match(
    textOfState('key-paused'),
    /Paused yesterday\. Requests with it are refused, as if it were revoked, until you/,
  )
  assert.match(
    textOfState('key-rotating'),
    /Being rotated, and still used: .* until 16 Nov 2026, 08:00\. Its successor “Su/,
  )
  assert.match(textOfState('key-stranded'), /nothing takes over\. .* Rotate it again, or cancel the rotation\./)
  assert.match(textOfState('key-expired'), /Expired: 16 Oct 2026 was its last day\. It is refused/)
  assert.match(
    textOfState('key-revoked'),
    /Revoked on 5 Nov 2026, 12:00\. .* Supplier sync vtr_Nw0001… has taken over\./,
  )
  const unused = /Never used since it was created on 6 Oct 2026\. Revoke .*No requests yet .* Replace it with/
  assert.match(textOfState('key-never-used'), unused)
  const leaked = /Seen in a browser on 14 Nov 2026 ?\. Rotate/
  assert.match(textOfState('key-leaked'), leaked)
  assert.match(textOfState('key-leaked'), /Expiring\. Stops working in 7 days ?\. Rotate/)
})

test('a key paused while being rotated shows both, and a paused successor is not said to work', () => {
  const until = ahead(DAY)
  const paused = key('Ab0001', 'Sync', {
    state: { kind: 'paused', at: ago(DAY) },
    retiresAt: until,
    pausedAt: ago(DAY),
  })
  const page = (shown: Parameters<typeof detail>) => textOf(keyPage({ ...keyModel, key: detail(...shown) }))
  assert.match(page([paused]), /It is also being rotated, which ends it on 16 Nov 2026, 12:00: cancel the rotation/)
  const state = {
    kind: 'rotating',
    until,
    stillUsed: false,
    successor: { id: paused.id, label: 'Sync', works: true },
  } as const
  assert.match(
    page([key('Ab0000', 'Sync', { state }), { successors: [paused] }]),
    /successor “Sync” vtr_Ab0001… is paused: resume it/,
  )
})

test('a key that still works can be paused or resumed, never both', () => {
  const live = sampleKeyPages.key?.() ?? ''
  assert.match(live, /\/pause"/)
  assert.doesNotMatch(live, /\/resume"/)
  const paused = sampleKeyPages['key-paused']?.() ?? ''
  assert.match(paused, /action="[^"]*\/resume"/)
  assert.doesNotMatch(paused, /\/pause"/)
})

test("a caller's name is truncated to a line or two, escaped, and shows characters that would hide or reverse text", () => {
  const page = sampleKeyPages['key-right-to-left']?.() ?? ''
  for (const [name = ''] of page.matchAll(/<th role="rowheader" scope="row"><bdi>.*?<\/bdi>/g))
    assert.ok(name.length < 240)
  assert.ok(page.includes('&#60;script&#62;evil()'))
  assert.ok(page.includes('[U+202E]'))
})

test('the largest pages of a key stay under 60 KB', () => {
  const long = 'א'.repeat(100)
  const kin = Array.from({ length: 20 }, (_, index) => key(`kin${index}`, long))
  const entry = {
    at: ago(DAY),
    actor: `${'a'.repeat(64)}@${'b'.repeat(200)}.example`,
    action: 'key.revoked',
  }
  const shown = detail(key('Big', long), {
    days: busyDays,
    successors: kin,
    predecessor: kin[0] ?? null,
    callers: Array.from({ length: 20 }, () => hostileCallers[0]).filter((caller) => caller !== undefined),
  })
  const entries = Array.from({ length: 40 }, () => ({
    ...entry,
    subject: shown.id,
    label: long,
    detail: { reason: 'revoked by the client' },
  }))
  assert.ok(Buffer.byteLength(keyPage({ ...keyModel, key: shown })) < 60_000)
  assert.ok(Buffer.byteLength(keyHistoryPage(frame, shown, entries)) < 60_000)
})
