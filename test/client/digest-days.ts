/** What the morning digest prints of tasks that are due at these times, on days that are hard to tell apart. */
export const days: Record<string, { timezone: string | undefined; now: string; tasks: string[]; printed: string }> = {
  'a day of 25 hours in London': {
    timezone: 'Europe/London',
    now: '2026-10-25T07:00:00Z',
    tasks: ['2026-10-24T22:59:59Z', '2026-10-24T23:00:00Z', '2026-10-25T23:59:59Z', '2026-10-26T00:00:00Z'],
    printed: `Acme Buying, Sunday 2026-10-25 (Europe/London)

Overdue (2)
- 2026-10-24T22:59:59Z, due 2026-10-24
- 2026-10-24T23:00:00Z, due 00:00

Due today (1)
- 2026-10-25T23:59:59Z
`,
  },
  'a day of 23 hours in New York': {
    timezone: 'America/New_York',
    now: '2026-03-08T11:00:00Z',
    tasks: ['2026-03-08T04:59:59Z', '2026-03-09T03:30:00Z', '2026-03-09T03:59:59Z', '2026-03-09T04:00:00Z'],
    printed: `Acme Buying, Sunday 2026-03-08 (America/New_York)

Overdue (1)
- 2026-03-08T04:59:59Z, due 2026-03-07

Due today (2)
- 2026-03-09T03:30:00Z, due 23:30
- 2026-03-09T03:59:59Z
`,
  },
  'a workspace without a timezone, on an empty day': {
    timezone: undefined,
    now: '2026-11-16T23:59:59Z',
    tasks: ['2026-11-17T00:00:00Z'],
    printed: `Acme Buying, Monday 2026-11-16 (UTC)

Nothing is due today.
`,
  },
}
