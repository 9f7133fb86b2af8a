import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { Zone } from '../../src/lib/zone.ts'
import { eventsIn, parser } from './parsed-calendar.ts'
import { root, skipWithoutTool } from './tools.ts'

// Untyped here: the examples are checked by their own configuration.
const { calendar } = await import(join(root, 'examples/ics.mjs'))
const { clocksOf } = await import(join(root, 'examples/local-time.mjs'))

const zones: Record<string, { timezone: string | null; starts: Record<string, string> }> = {
  'around midnight in Cairo, where the clocks repeat the last hour of a day, and skip the first of another': {
    timezone: 'Africa/Cairo',
    starts: {
      '2026-04-23T21:59:59Z': '2026-04-23',
      '2026-04-23T22:00:00Z': '2026-04-23T22:00:00.000Z',
      '2026-10-29T20:59:59Z': '2026-10-29T20:59:59.000Z',
      '2026-10-29T21:59:59Z': '2026-10-29',
    },
  },
  'around midnight in Kiritimati, 14 hours ahead': {
    timezone: 'Pacific/Kiritimati',
    starts: { '2026-11-16T09:59:59Z': '2026-11-16', '2026-11-16T23:59:59Z': '2026-11-16T23:59:59.000Z' },
  },
  'around midnight in Honolulu, 10 hours behind': {
    timezone: 'Pacific/Honolulu',
    starts: { '2026-11-16T23:59:59Z': '2026-11-16T23:59:59.000Z', '2026-11-17T09:59:59Z': '2026-11-16' },
  },
  'without a timezone': { timezone: null, starts: { '2026-11-16T23:59:59Z': '2026-11-16' } },
}
for (const [where, { timezone, starts }] of Object.entries(zones))
  test(`a day is a day and a time a time: ${where}`, skipWithoutTool(parser), async () => {
    const tasks = Object.keys(starts).map((instant) => ({ id: instant, title: instant, dueAt: instant }))
    const ics: string = calendar({ id: 'ws', name: 'Acme', timezone }, { tasks, note: '' }, new Date())
    assert.match(ics, new RegExp(`\r\nX-WR-TIMEZONE:${timezone ?? 'UTC'}\r\n`))
    const events = await eventsIn(ics)
    assert.deepEqual(Object.fromEntries(events.map(({ summary, start }) => [summary, start])), starts)
    for (const { start, zone, hours } of events)
      assert.deepEqual([zone, hours], start.length === 10 ? ['floating', 24] : ['UTC', 0])
  })

test('every day that the importer ends is an all-day event, all year round', () => {
  for (const timezone of ['Europe/London', 'Africa/Cairo', 'America/Havana', 'Asia/Beirut']) {
    const [zone, clocks] = [new Zone(timezone), clocksOf(timezone)]
    for (let midnight = Date.UTC(2026, 0, 1); midnight < Date.UTC(2027, 0, 1); midnight += 86_400_000) {
      const due = new Date(zone.endOfDay(midnight))
      const date = new Date(midnight).toISOString().slice(0, 10)
      assert.deepEqual([clocks.isEndOfDay(due), clocks.at(due).date], [true, date], `${timezone} ${date}`)
    }
  }
})

test("any text survives: long, in any script, with the format's own characters, line breaks and controls", {
  ...skipWithoutTool(parser),
}, async () => {
  const title = `A, B; C:\\new "E" ${'Größe 尺寸 👩‍👩‍👧‍👦 '.repeat(12)}:end`
  const details = 'One\nTwo\r\nBEGIN:VEVENT\rUID:x\u0007'
  const task = { id: 'a,b;c\\d', title, details, dueAt: '2026-11-16T17:00:00.000Z', assigneeName: 'Priya' }
  const undated = { ...task, id: 'undated', dueAt: null }
  const ics: string = calendar(
    { id: 'ws_1', name: 'Acme', timezone: null },
    { tasks: [task, undated], note: '' },
    new Date(),
  )
  const lines = ics.split('\r\n')
  assert.ok(lines.every((line) => Buffer.byteLength(line) <= 75 && !/\p{Cc}/u.test(line)))
  assert.ok(lines.filter((line) => Buffer.byteLength(line) >= 72).length > 5, 'lines are folded where they must be')
  assert.equal(lines.at(-1), '')
  // Parsers are lenient, calendars less so.
  assert.ok(ics.includes('SUMMARY:A\\, B\\; C:\\\\new "E"'))
  const [event, ...others] = await eventsIn(ics)
  assert.deepEqual(others, [])
  assert.equal(event?.summary, title)
  assert.equal(event?.description, 'Assigned to Priya\n\nOne\nTwo\nBEGIN:VEVENT\nUID:x')
  assert.equal(event?.uid, 'a,b;c\\d@ws_1')
})
