import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Zone } from '../../src/lib/zone.ts'
import { resolveDate, toMoment } from '../../src/mcp/dates.ts'

const days: [date: string, zone: string, instant: string][] = [
  ['2026-06-20', 'Europe/London', '2026-06-19T23:00:00.000Z'],
  // Midnight is skipped: the day begins at one.
  ['2026-03-29', 'Asia/Beirut', '2026-03-28T22:00:00.000Z'],
  // The whole day is skipped.
  ['2011-12-30', 'Pacific/Apia', '2011-12-30T10:00:00.000Z'],
  ['0001-01-01', 'America/New_York', '0001-01-01T04:56:02.000Z'],
  // It begins before the first instant that is stored.
  ['0001-01-01', 'Asia/Tokyo', '0001-01-01T00:00:00.000Z'],
  ['9999-12-31', 'America/New_York', '9999-12-31T05:00:00.000Z'],
]

test('a date is where its day begins in the timezone, and an instant is itself, with any offset', () => {
  for (const [date, zone, instant] of days)
    assert.equal(resolveDate(date, new Zone(zone)), instant, `${date} in ${zone}`)
  assert.equal(toMoment('2026-11-20T01:00:00+01:00'), '2026-11-20T00:00:00.000Z')
  assert.equal(resolveDate('2026-11-20T00:00:00.000Z', new Zone('Asia/Tokyo')), '2026-11-20T00:00:00.000Z')
})

test('a text that is neither a day nor an instant is rejected', () => {
  const texts = ['', 'tomorrow', '2026-02-29', '2026-13-01', '0000-01-01', '10000-01-01', '2026-11-20 ', '20.11.2026']
  for (const text of [...texts, '2026-11-20T09:00', '2026-11-20T09:00:00', '２０２６-11-20'])
    assert.equal(toMoment(text), undefined, text)
})
