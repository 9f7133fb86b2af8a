import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  canonicalZoneName,
  endOfDate,
  lastDates,
  localDate,
  startOfDate,
  zoneNamed,
} from '../../src/lib/local-dates.ts'

test("the date is the timezone's", () => {
  const instant = Date.parse('2026-11-15T23:30:00Z')
  assert.equal(localDate(zoneNamed(null), instant), '2026-11-15')
  assert.equal(localDate(zoneNamed('Asia/Tokyo'), instant), '2026-11-16')
  assert.equal(localDate(zoneNamed('Pacific/Honolulu'), instant), '2026-11-15')
  assert.deepEqual(lastDates({ nowMs: instant, timezone: 'Asia/Tokyo' }, 2), ['2026-11-15', '2026-11-16'])
})

test('a date in the year 10000 is whole', () => {
  assert.equal(localDate(zoneNamed('Europe/Berlin'), Date.parse('9999-12-31T23:59:59Z')), '+010000-01-01')
})

test('a date lasts until the next one begins, and a day that does not exist is not a date', () => {
  const london = zoneNamed('Europe/London')
  assert.equal(startOfDate(london, '2026-03-29'), Date.parse('2026-03-29T00:00:00Z'))
  assert.equal(endOfDate(london, '2026-03-29'), Date.parse('2026-03-29T23:00:00Z'))
  assert.equal(endOfDate(zoneNamed('America/New_York'), '9999-12-31'), Date.parse('9999-12-31T23:59:59.999Z'))
  for (const text of ['2026-04-31', '2026-4-1', '', 'today']) assert.equal(startOfDate(london, text), undefined, text)
})

test('names are spelled as Intl spells them, and an unknown timezone is treated as UTC', () => {
  assert.equal(canonicalZoneName('europe/LONDON'), 'Europe/London')
  for (const name of ['Europe/Atlantis', '', '+01:00']) assert.equal(canonicalZoneName(name), undefined, name)
  assert.equal(localDate(zoneNamed('Europe/Atlantis'), 0), '1970-01-01')
})
