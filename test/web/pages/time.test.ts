import assert from 'node:assert/strict'
import { test } from 'node:test'
import { intervalText, relativeText, relativeTime, timeOfEnd } from '../../../src/web/layout/time.ts'

const TIME = { nowMs: Date.parse('2026-11-15T12:00:00.000Z'), timezone: 'Asia/Tokyo' }

for (const [at, text] of [
  ['2026-11-15T12:00:00.000Z', 'just now'],
  ['2026-11-15T11:59:01.000Z', 'just now'],
  ['2026-11-15T11:58:30.000Z', '2 minutes ago'],
  ['2026-11-15T11:00:30.000Z', '1 hour ago'],
  ['2026-11-15T09:00:00.000Z', '3 hours ago'],
  ['2026-11-14T11:00:00.000Z', 'yesterday'],
  ['2026-11-13T15:00:00.000Z', 'yesterday'],
  ['2026-11-13T14:59:00.000Z', '2 days ago'],
  ['2026-11-05T12:00:00.000Z', '10 days ago'],
  ['2026-10-01T12:00:00.000Z', '1 Oct 2026'],
  ['2026-11-15T12:00:30.000Z', 'in a minute'],
  ['2026-11-16T08:00:00.000Z', 'in 20 hours'],
  ['2026-11-16T14:59:00.000Z', 'tomorrow'],
  ['2026-11-16T15:00:00.000Z', 'in 2 days'],
  ['2026-11-22T13:00:00.000Z', 'in 7 days'],
  ['2026-12-15T11:59:59.000Z', 'in 30 days'],
  ['2027-02-13T12:00:00.000Z', '13 Feb 2027'],
] as const)
  test(`${at} is ${text}`, () => assert.equal(relativeText(at, TIME), text))

test('something that ends at midnight ends on the day before', () => {
  const textAt = (end: string) => timeOfEnd(end, TIME).text.replace(/<[^>]*>/g, '')
  assert.equal(textAt('2026-11-16T15:00:00.000Z'), 'tomorrow')
  assert.equal(textAt('2027-01-31T15:00:00.000Z'), '31 Jan 2027')
})

test('the exact instant is available to programs, and in words on hovering', () => {
  assert.equal(
    relativeTime('2026-11-15T09:00:00.000Z', TIME).text,
    '<time datetime="2026-11-15T09:00:00.000Z" title="15 Nov 2026, 18:00:00, Asia/Tokyo">3 hours ago</time>',
  )
})

for (const [seconds, text] of [
  [1, 'second'],
  [30, '30 seconds'],
  [60, 'minute'],
  [90, '90 seconds'],
  [300, '5 minutes'],
  [3600, 'hour'],
  [5400, '90 minutes'],
  [172_800, '2 days'],
] as const)
  test(`every ${seconds} seconds is every ${text}`, () => assert.equal(intervalText(seconds), text))
