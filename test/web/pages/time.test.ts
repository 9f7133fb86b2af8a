import assert from 'node:assert/strict'
import { test } from 'node:test'
import { relativeTime, timeOfEnd } from '../../../src/web/layout/time.ts'

const TIME = { nowMs: Date.parse('2026-11-15T12:00:00.000Z'), timezone: 'Asia/Tokyo' }

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
