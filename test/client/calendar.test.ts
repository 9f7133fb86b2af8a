import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { test } from 'node:test'
import { Zone } from '../../src/lib/zone.ts'
import { dueAt, setUpExamples } from './examples-project.ts'
import { inPrograms, oldestNode, root, skipWithoutTool } from './tools.ts'

// Their types are not known here: the examples are checked by a configuration of their own.
const { calendar } = await import(join(root, 'examples/ics.mjs'))
const { clocksOf } = await import(join(root, 'examples/local-time.mjs'))

const parser = inPrograms('ical.js/dist/ical.js')

interface Event {
  uid: string
  summary: string
  description: string
  /** The date of an all-day event, the instant of another. */
  start: string
  zone: string
  hours: number
}

/** As a parser reads them that is not ours. */
async function eventsIn(ics: string): Promise<Event[]> {
  const { default: ICAL } = await import(parser)
  const component = new ICAL.Component(ICAL.parse(ics))
  assert.equal(component.getFirstPropertyValue('version'), '2.0')
  return component.getAllSubcomponents('vevent').map((vevent: unknown) => {
    const { startDate, uid, summary, description, duration } = new ICAL.Event(vevent)
    const start = startDate.isDate ? startDate.toString() : startDate.toJSDate().toISOString()
    return { uid, summary, description, start, zone: startDate.zone.tzid, hours: duration.toSeconds() / 3600 }
  })
}

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
    const ics: string = calendar({ id: 'ws', name: 'Acme', timezone }, tasks, new Date())
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

test('the calendar of due dates, written and served', skipWithoutTool(parser), async (t) => {
  const { workspace, example, folder, service } = await setUpExamples(t)

  await t.test(
    'any text survives: long, in any script, with signs of the format, line breaks and controls',
    async () => {
      const title = `A, B; C\\D "E" ${'Größe 尺寸 👩‍👩‍👧‍👦 '.repeat(12)}:end`
      const details = 'One\nTwo\r\nBEGIN:VEVENT\rUID:x\u0007'
      const task = { id: 'a,b;c\\d', title, details, dueAt: '2026-11-16T17:00:00.000Z', assigneeName: 'Priya' }
      const { env } = await workspace('texts', 'UTC', [task, { id: 'undated' }])
      const ics = await example(['calendar.mjs'], env)
      const lines = ics.split('\r\n')
      assert.ok(lines.every((line) => Buffer.byteLength(line) <= 75 && !/\p{Cc}/u.test(line)))
      assert.ok(lines.filter((line) => Buffer.byteLength(line) >= 72).length > 5, 'lines are folded where they must be')
      assert.equal(lines.at(-1), '')
      const [event, ...others] = await eventsIn(ics)
      assert.deepEqual(others, [])
      assert.equal(event?.summary, title)
      assert.equal(event?.description, 'Assigned to Priya\n\nOne\nTwo\nBEGIN:VEVENT\nUID:x')
      assert.match(event?.uid ?? '', /^a,b;c\\d@ws_[0-9a-f]+$/)
    },
  )

  await t.test('the feed has a secret address, answers 304 while nothing has changed, and shows changes', async () => {
    const { env, add } = await workspace('feed', 'UTC', dueAt('2026-11-16T17:00:00Z'))
    const node = spawn(oldestNode(), ['calendar.mjs'], { cwd: folder, env: { ...env, PORT: '0' } })
    t.after(() => node.kill('SIGKILL'))
    const [line] = (await once(createInterface(node.stdout), 'line')) as [string]
    const url = /http:\S+/.exec(line)?.[0] ?? ''
    assert.match(url, /^http:\/\/127\.0\.0\.1:\d+\/[\w-]{43}\/tasks\.ics$/)

    const first = await fetch(url)
    assert.equal(first.headers.get('content-type'), 'text/calendar; charset=utf-8')
    assert.equal((await eventsIn(await first.text())).length, 1)
    const tag = first.headers.get('etag') ?? ''
    const ask = (etag: string, method = 'GET') => fetch(url, { method, headers: { 'if-none-match': etag } })
    assert.deepEqual([(await ask(tag)).status, (await ask(`W/${tag}`)).status], [304, 304])
    const head = await ask('"other"', 'HEAD')
    assert.deepEqual([head.status, head.headers.get('etag'), await head.text()], [200, tag, ''])

    for (const path of ['/', '/tasks.ics', `${new URL(url).pathname}x`])
      assert.equal((await fetch(new URL(path, url))).status, 404, path)
    assert.equal((await ask('', 'POST')).status, 405)

    await add([{ id: 'new', dueAt: '2026-11-18T10:00:00.000Z' }])
    const changed = await ask(tag)
    assert.deepEqual([changed.status, (await eventsIn(await changed.text())).length], [200, 2])

    await service.stop()
    assert.equal((await ask(tag)).status, 503)
    node.kill('SIGTERM')
    assert.deepEqual(await once(node, 'exit'), [0, null])
  })
})
