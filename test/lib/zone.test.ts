import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { wallTimeOf, Zone } from '../../src/lib/zone.ts'

const DAY_MS = 86_400_000
const iso = (ms: number) => new Date(ms).toISOString().replace('.000Z', 'Z')
const wall = (text: string) => Date.parse(`${text}Z`)

const instants: [zone: string, wall: string, instant: string, why: string][] = [
  ['UTC', '2026-11-20T09:00:00', '2026-11-20T09:00:00Z', 'nothing changes'],
  ['Europe/London', '2026-07-01T09:00:00', '2026-07-01T08:00:00Z', 'summer time'],
  ['Asia/Kathmandu', '2026-07-01T09:00:00', '2026-07-01T03:15:00Z', 'an offset of quarters'],
  ['Europe/London', '2026-03-29T01:30:00', '2026-03-29T01:30:00Z', 'in the gap, half an hour after the jump'],
  ['America/New_York', '2026-11-01T01:30:00', '2026-11-01T05:30:00Z', 'shown twice, the first'],
  ['Australia/Lord_Howe', '2026-04-05T01:45:00', '2026-04-04T14:45:00Z', 'a jump of half an hour, the first'],
]

for (const [zone, local, instant, why] of instants)
  test(`${local} in ${zone} is ${instant}: ${why}`, () =>
    assert.equal(iso(new Zone(zone).instantOf(wall(local))), instant))

const days: [zone: string, day: string, start: string, end: string, why: string][] = [
  ['UTC', '2026-11-20', '2026-11-20T00:00:00Z', '2026-11-20T23:59:59Z', 'a plain day'],
  ['Europe/London', '2026-03-29', '2026-03-29T00:00:00Z', '2026-03-29T22:59:59Z', 'a day of 23 hours'],
  ['America/New_York', '2026-11-01', '2026-11-01T04:00:00Z', '2026-11-02T04:59:59Z', 'a day of 25 hours'],
  ['Asia/Beirut', '2026-03-28', '2026-03-27T22:00:00Z', '2026-03-28T21:59:59Z', 'the next day begins at 1:00'],
  ['Asia/Beirut', '2026-03-29', '2026-03-28T22:00:00Z', '2026-03-29T20:59:59Z', 'it begins at 1:00'],
  ['Asia/Beirut', '2026-10-24', '2026-10-23T21:00:00Z', '2026-10-24T21:59:59Z', 'its last hour is there twice'],
  ['America/Toronto', '1919-03-30', '1919-03-30T05:00:00Z', '1919-03-31T04:29:59Z', 'its last half hour is skipped'],
  ['Pacific/Apia', '2011-12-29', '2011-12-29T10:00:00Z', '2011-12-30T09:59:59Z', 'the next day was skipped'],
]

for (const [zone, day, start, end, why] of days)
  test(`${day} in ${zone} is from ${start} to ${end}: ${why}`, () => {
    const midnight = wall(`${day}T00:00:00`)
    assert.deepEqual(
      [iso(new Zone(zone).startOfDay(midnight)), iso(new Zone(zone).startOfDay(midnight + DAY_MS) - 1000)],
      [start, end],
    )
  })

const zones = [
  'Europe/London',
  'America/New_York',
  'America/St_Johns',
  'America/Sao_Paulo',
  'America/Havana',
  'Asia/Beirut',
  'Africa/Cairo',
  'Africa/Casablanca',
  'Australia/Lord_Howe',
  'Pacific/Chatham',
  'Asia/Kolkata',
].map((name) => [name, new Zone(name)] as const)

test('every day ends one second before the next begins, and its last second belongs to it, in zones with and without changes', () => {
  // From 2012 on: before, St John's changed its clocks a minute after midnight, so midnight was there twice.
  const day = fc.integer({ min: wallTimeOf(2012, 1, 1) / DAY_MS, max: wallTimeOf(2037, 12, 30) / DAY_MS })
  fc.assert(
    fc.property(fc.constantFrom(...zones), day, ([, zone], number) => {
      const midnight = number * DAY_MS
      const end = zone.startOfDay(midnight + DAY_MS) - 1000
      assert.equal(zone.wallTime(end), midnight + DAY_MS - 1000)
      assert.equal(Math.floor(zone.wallTime(end + 1000) / DAY_MS), number + 1)
    }),
    { numRuns: 3000 },
  )
})
