import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { root } from './tools.ts'

// Its types are not known here: the examples are checked by a configuration of their own.
const { digest } = await import(join(root, 'examples/digest-text.mjs'))

const days: Record<string, { timezone: string | null; now: string; tasks: string[]; printed: string }> = {
  'a day of 25 hours in London': {
    timezone: 'Europe/London',
    now: '2026-10-25T07:00:00Z',
    tasks: ['2026-10-24T22:59:59Z', '2026-10-24T23:00:00Z', '2026-10-25T23:59:59Z', '2026-10-26T00:00:00Z'],
    printed: `Acme, Sunday 2026-10-25 (Europe/London)

Overdue (2)
- 2026-10-24T22:59:59Z, due 2026-10-24
- 2026-10-24T23:00:00Z, due 00:00

Due today (1)
- 2026-10-25T23:59:59Z`,
  },
  'a day of 23 hours in New York': {
    timezone: 'America/New_York',
    now: '2026-03-08T11:00:00Z',
    tasks: ['2026-03-08T04:59:59Z', '2026-03-09T03:30:00Z', '2026-03-09T03:59:59Z', '2026-03-09T04:00:00Z'],
    printed: `Acme, Sunday 2026-03-08 (America/New_York)

Overdue (1)
- 2026-03-08T04:59:59Z, due 2026-03-07

Due today (2)
- 2026-03-09T03:30:00Z, due 23:30
- 2026-03-09T03:59:59Z`,
  },
  'a day that began 14 hours before that of UTC, with nothing more to do': {
    timezone: 'Pacific/Kiritimati',
    now: '2026-11-15T17:00:00Z',
    tasks: ['2026-11-15T09:59:59Z', '2026-11-16T10:00:00Z'],
    printed: `Acme, Monday 2026-11-16 (Pacific/Kiritimati)

Overdue (1)
- 2026-11-15T09:59:59Z, due 2026-11-15

Nothing else is due today.`,
  },
  'a workspace without a timezone, in the last second of an empty day': {
    timezone: null,
    now: '2026-11-16T23:59:59Z',
    tasks: ['2026-11-17T00:00:00Z'],
    printed: `Acme, Monday 2026-11-16 (UTC)

Nothing is due today.`,
  },
}
for (const [day, { timezone, now, tasks, printed }] of Object.entries(days))
  test(`the digest tells today from tomorrow: ${day}`, () => {
    const due = tasks.map((instant) => ({ title: instant, dueAt: instant, assigneeName: null }))
    assert.equal(digest({ name: 'Acme', timezone }, due, new Date(now)), printed)
  })

test('the digest obeys nothing in a title, and says when there may be more tasks', () => {
  const task = { title: 'Clear\u001b[2J the\nscreen', dueAt: '2026-11-14T10:00:00Z', assigneeName: 'A\u0007B' }
  const printed: string = digest({ name: 'Acme', timezone: null }, Array(100).fill(task), new Date('2026-11-16T07:00Z'))
  assert.match(printed, /\n- Clear \[2J the screen, due 2026-11-14 10:00, A B\n/)
  assert.match(printed, /\nThese are the first 100 tasks; there may be more\.$/)
})
