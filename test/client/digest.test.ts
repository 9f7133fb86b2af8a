import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { root } from './tools.ts'

// Untyped here: the examples are checked by their own configuration.
const { digest, questionsOf } = await import(join(root, 'examples/digest-text.mjs'))
const { clocksOf } = await import(join(root, 'examples/local-time.mjs'))

const pageOf = (tasks: object[]) => ({ tasks, total: tasks.length })

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
  test(`the digest distinguishes today from tomorrow: ${day}`, () => {
    const { overdue, today } = questionsOf({ timezone }, new Date(now))
    const dateOf = (instant: string): string => clocksOf(timezone ?? 'UTC').at(new Date(instant)).date
    // As the server selects: a date begins with its first instant in the workspace's timezone.
    const isBefore = (instant: string, end: string) =>
      end.length === 10 ? dateOf(instant) < end : Date.parse(instant) < Date.parse(end)
    const page = ({ dueAfter = '0001-01-01', dueBefore }: { dueAfter?: string; dueBefore: string }) => {
      const due = tasks.filter((instant) => !isBefore(instant, dueAfter) && isBefore(instant, dueBefore))
      return pageOf(due.map((instant) => ({ title: instant, dueAt: instant, assigneeName: null })))
    }
    const pages = { overdue: page(overdue), today: page(today), undated: pageOf([]) }
    assert.equal(digest({ name: 'Acme', timezone }, pages, new Date(now)), printed)
  })

test('the digest obeys nothing in a title, and counts what it does not list', () => {
  const task = { title: 'Clear\u001b[2J the\nscreen', dueAt: '2026-11-14T10:00:00Z', assigneeName: 'A\u0007B' }
  const pages = {
    overdue: { tasks: Array(100).fill(task), total: 412 },
    today: pageOf([]),
    undated: { tasks: [], total: 10_000, totalIsMinimum: true },
  }
  const printed: string = digest({ name: 'Acme', timezone: null }, pages, new Date('2026-11-16T07:00Z'))
  assert.match(printed, /\n- Clear \[2J the screen, due 2026-11-14 10:00, A B\n/)
  assert.match(printed, /\nOverdue \(412\)\n/)
  const many = { ...pages, overdue: { ...pages.overdue, total: 10_000, totalIsMinimum: true } }
  const ofMany: string = digest({ name: 'Acme', timezone: null }, many, new Date('2026-11-16T07:00Z'))
  assert.match(ofMany, /\nOverdue \(at least 10000\)\n(?:.*\n)+- and at least 9900 more\n/)
  assert.match(printed, /\n- and 312 more\n\nNothing else is due today\.\n\nWithout a due date: at least 10000$/)
})
