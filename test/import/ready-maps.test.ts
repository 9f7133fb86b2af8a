import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { loadMap, readyMapNames } from '../../src/import/map/load-map.ts'
import { table } from '../../src/resources/tasks/contract.ts'
import { readMapped, sample } from '../support/read-mapped.ts'

/** Samples in the layouts that docs/maps.md names the sources of, read for a workspace in London. */
const expected: Record<string, { sample: string; tasks: Record<string, string>[] }> = {
  'airtable-csv': {
    sample: 'airtable-csv.csv',
    tasks: [
      {
        id: 'recA1B2C3',
        title: 'Order the linen',
        details: 'Two bolts,\nnatural white\nStatus: In progress\nAlso assigned: sam@northwind.example',
        dueAt: '2026-11-20T23:59:59.000Z',
        assigneeName: 'Priya Raman',
        sourceKind: 'airtable',
        status: 'open',
      },
      {
        id: 'recD4E5F6',
        title: 'Call the mill',
        details: 'Status: Done',
        dueAt: '2026-11-21T15:30:00.000Z',
        sourceKind: 'airtable',
        status: 'completed',
      },
      {
        id: 'recG7H8I9',
        title: 'No status yet',
        dueAt: '2026-12-01T23:59:59.000Z',
        sourceKind: 'airtable',
        status: 'open',
      },
    ],
  },
  'asana-csv': {
    sample: 'asana-csv.csv',
    tasks: [
      {
        id: '1201234567890123',
        title: 'Checkout flow',
        details: 'Card, wallet\nSection: In progress\nTags: payments,web',
        dueAt: '2026-11-20T23:59:59.000Z',
        assigneeName: 'Lan Pham',
        assigneeEmail: 'lan@northwind.example',
        sourceTitle: 'Shop',
        sourceKind: 'asana',
        status: 'open',
        createdAt: '2026-08-31T23:00:00.000Z',
      },
      {
        id: '1201234567890124',
        title: 'Pick payment provider',
        details: 'Section: Done',
        sourceTitle: 'Shop',
        sourceKind: 'asana',
        status: 'completed',
        createdAt: '2026-08-31T23:00:00.000Z',
      },
      {
        id: '1201234567890125',
        title: 'Wallet button',
        details: 'Section: In progress\nParent task: Checkout flow',
        sourceTitle: 'Shop',
        sourceKind: 'asana',
        status: 'open',
        createdAt: '2026-09-01T23:00:00.000Z',
      },
    ],
  },
  'asana-json': {
    sample: 'asana-json.json',
    tasks: [
      {
        id: '1201234567890123',
        title: 'Checkout flow',
        details: 'Card, wallet\nSection: In progress\nTags: payments, web\nhttps://app.asana.com/0/77/1201234567890123',
        dueAt: '2026-11-20T23:59:59.000Z',
        assigneeName: 'Lan Pham',
        assigneeEmail: 'lan@northwind.example',
        sourceSessionId: '77',
        sourceTitle: 'Shop',
        sourceKind: 'asana',
        status: 'open',
        createdAt: '2026-09-01T08:30:00.000Z',
      },
      {
        id: '1201234567890124',
        title: 'Pick payment provider',
        dueAt: '2026-11-20T15:00:00.000Z',
        sourceKind: 'asana',
        status: 'completed',
        createdAt: '2026-09-01T08:31:00.000Z',
      },
    ],
  },
  'github-json': {
    sample: 'github-json.json',
    tasks: [
      {
        id: 'gh-42',
        title: 'Widget creation fails in Safari',
        details:
          'It looks like the form is broken.\nLabels: bug, web\nAlso assigned: hubot\nhttps://github.com/octo/widgets/issues/42',
        dueAt: '2026-11-20T23:59:59.000Z',
        assigneeName: 'Mona Lisa',
        sourceTitle: 'v1.0',
        sourceKind: 'github',
        status: 'open',
        createdAt: '2026-09-01T08:30:00.000Z',
      },
      {
        id: 'gh-43',
        title: 'Support Netscape',
        details: 'https://github.com/octo/widgets/issues/43',
        assigneeName: 'hubot',
        sourceKind: 'github',
        status: 'cancelled',
        createdAt: '2026-09-02T08:30:00.000Z',
      },
      {
        id: 'gh-44',
        title: 'Add a licence',
        details: 'https://github.com/octo/widgets/issues/44',
        sourceKind: 'github',
        status: 'completed',
        createdAt: '2026-09-03T08:30:00.000Z',
      },
    ],
  },
  'google-sheets-csv': {
    sample: 'google-sheets-csv.csv',
    tasks: [
      {
        id: '101',
        title: 'Renew the lease',
        details: 'Ask for;\r\na break clause',
        dueAt: '2026-11-20T23:59:59.000Z',
        assigneeName: 'Priya Raman',
        assigneeEmail: 'priya@northwind.example',
        sourceKind: 'google-sheets',
        status: 'open',
      },
      { id: '102', title: 'Pay the deposit', sourceKind: 'google-sheets', status: 'completed' },
      {
        id: '103',
        title: 'Paint',
        dueAt: '2026-11-21T09:30:00.000Z',
        sourceKind: 'google-sheets',
        status: 'open',
      },
    ],
  },
  'jira-csv': {
    sample: 'jira-csv.csv',
    tasks: [
      {
        id: 'ACME-12',
        title: 'Test grasp planner',
        details:
          'First line,\n"second" line\nType: Story\nStatus: In QA\nPriority: High\nLabels: research, vision\nSprint: Sprint 7, Sprint 8',
        dueAt: '2026-11-20T23:59:59.000Z',
        bookKey: 'ACME',
        assigneeName: 'Bob Roy',
        sourceSessionId: 'ACME-1',
        sourceTitle: 'Grasping',
        sourceKind: 'jira',
        status: 'open',
        createdAt: '2026-09-03T08:05:00.000Z',
      },
      {
        id: 'ACME-3',
        title: 'Old ticket',
        details: 'Type: Bug\nStatus: Done\nPriority: Low',
        bookKey: 'ACME',
        sourceKind: 'jira',
        status: 'cancelled',
        createdAt: '2026-06-01T11:15:00.000Z',
      },
      {
        id: 'ACME-4',
        title: 'Ship it',
        details: 'Type: Task\nStatus: Closed\nPriority: Medium',
        bookKey: 'ACME',
        assigneeEmail: 'bob@acme.example',
        sourceKind: 'jira',
        status: 'completed',
        createdAt: '2026-06-01T23:15:00.000Z',
      },
    ],
  },
  'linear-csv': {
    sample: 'linear-csv.csv',
    tasks: [
      {
        id: 'NW-1',
        title: 'Rebuild service pages',
        details: 'Line one\nline two, “quotes” ✓\nStatus: In Progress\nPriority: High\nLabels: seo, web',
        // Midnight of 26 June in London, where it was exported.
        dueAt: '2026-06-26T22:59:59.000Z',
        bookKey: 'Northwind',
        assigneeEmail: 'priya@northwind.example',
        sourceSessionId: 'p-1',
        sourceTitle: 'Site rebuild',
        sourceKind: 'linear',
        status: 'open',
        createdAt: '2026-05-13T11:21:41.000Z',
      },
      {
        id: 'NW-2',
        title: 'Child task',
        details: 'Status: Shipped\nPriority: No priority\nParent issue: NW-1',
        dueAt: '2026-11-20T23:59:59.000Z',
        bookKey: 'Northwind',
        assigneeName: 'Sam Okafor',
        sourceKind: 'linear',
        status: 'completed',
        createdAt: '2026-05-13T11:25:00.000Z',
      },
      {
        id: 'NW-3',
        title: 'Old duplicate',
        details: 'Status: Duplicate\nPriority: Low',
        bookKey: 'Northwind',
        sourceKind: 'linear',
        status: 'cancelled',
        createdAt: '2026-05-13T11:30:00.000Z',
      },
    ],
  },
  'todoist-csv': {
    sample: 'todoist-csv.csv',
    tasks: [
      {
        id: 'todoist-73329085c6266226',
        title: 'Repot the basil @garden',
        details: 'Terracotta pot\nDate: Oct 5 2026\nPriority: p1',
        dueAt: '2026-10-05T22:59:59.000Z',
        assigneeName: 'Sam',
        sourceKind: 'todoist',
        status: 'open',
      },
      {
        id: 'todoist-6f062c68af8c319e',
        title: 'Water the ferns',
        details: 'Date: every monday at 9am\nPriority: p4',
        sourceKind: 'todoist',
        status: 'open',
      },
      {
        id: 'todoist-6f062c68af8c319e-2',
        title: 'Water the ferns',
        details: 'Deadline: 2026-11-20\nPriority: p4',
        dueAt: '2026-11-20T23:59:59.000Z',
        sourceKind: 'todoist',
        status: 'open',
      },
    ],
  },
  'trello-json': {
    sample: 'trello-json.json',
    tasks: [
      {
        id: '650a1b2c3d4e5f6a7b8c9d01',
        title: 'Compare quotes',
        details: 'Ask for three.\nList: Doing\nLabels: Buying\nAlso assigned: Priya Raman\nhttps://trello.com/c/abc',
        dueAt: '2026-11-20T17:00:00.000Z',
        assigneeName: 'Sam Okafor',
        sourceSessionId: '54a17d76d4a5072e3931736b',
        sourceKind: 'trello',
        status: 'open',
      },
      {
        id: '650a1b2c3d4e5f6a7b8c9d02',
        title: 'Book a room',
        details: 'List: Done\nhttps://trello.com/c/def',
        sourceSessionId: '54a17d76d4a5072e3931736b',
        sourceKind: 'trello',
        status: 'completed',
      },
      {
        id: '650a1b2c3d4e5f6a7b8c9d05',
        title: 'Send the invitations',
        details: 'List: Doing\nhttps://trello.com/c/ghi',
        dueAt: '2026-11-01T09:00:00.000Z',
        assigneeName: 'Priya Raman',
        sourceSessionId: '54a17d76d4a5072e3931736b',
        sourceKind: 'trello',
        status: 'completed',
      },
    ],
  },
}

test('every ready map is tested', async () => assert.deepEqual(await readyMapNames(), Object.keys(expected)))

for (const [name, { sample: file, tasks }] of Object.entries(expected)) {
  test(`${name} reads its vendor's layout, however it is cut into chunks`, async () => {
    const map = await loadMap(name, table)
    for (const chunkBytes of [1, 7, 65_536])
      assert.deepEqual(await readMapped(sample(file), map, { timezone: 'Europe/London', chunkBytes }), {
        rows: tasks,
        complaints: [],
      })
  })

  test(`a file for ${name} that is read without a map is refused with a hint at maps`, async () => {
    const { rows, complaints } = await readMapped(sample(file), undefined)
    assert.deepEqual(rows, [])
    // Where the records lie deeper in a document, they are not looked for.
    const isDeeper = /^\{\n/.test(sample(file).toString())
    assert.match(
      complaints[0] ?? '',
      isDeeper ? /a map says where they lie: see --map/ : new RegExp(`it looks like an export for --map ${name};`),
    )
  })
}

test('a board on one line, as it is exported, is known by its arrays', async () => {
  const board = JSON.stringify(JSON.parse(sample('trello-json.json').toString()))
  const { complaints } = await readMapped(board, undefined)
  assert.match(complaints[0] ?? '', /^1: it looks like an export for --map trello-json; /)
  const { rows } = await readMapped(board, await loadMap('trello-json', table))
  assert.equal(rows.length, 3)
})

test('without a timezone a date ends in UTC', async () => {
  const { rows } = await readMapped(sample('jira-csv.csv'), await loadMap('jira-csv', table))
  assert.equal(rows[0]?.dueAt, '2026-11-20T23:59:59.000Z')
  const { rows: abroad } = await readMapped(sample('jira-csv.csv'), await loadMap('jira-csv', table), {
    timezone: 'America/New_York',
  })
  assert.equal(abroad[0]?.dueAt, '2026-11-21T04:59:59.000Z')
})

test('a damaged export is refused or read, and never breaks the program', async () => {
  const maps = await Promise.all((await readyMapNames()).map((name) => loadMap(name, table)))
  const damaged = fc.record({
    map: fc.constantFrom(...maps),
    at: fc.double({ min: 0, max: 1, noNaN: true }),
    removed: fc.nat(200),
    inserted: fc.oneof(fc.string(), fc.constantFrom('"', '{', ']', '\\', '\n', ',', ';', '\u0000', '1e999', '[[[[')),
    chunkBytes: fc.integer({ min: 1, max: 500 }),
  })
  await fc.assert(
    fc.asyncProperty(damaged, async ({ map, at, removed, inserted, chunkBytes }) => {
      const whole = sample(expected[map.name]?.sample ?? '')
      const start = Math.floor(at * whole.length)
      const file = Buffer.concat([whole.subarray(0, start), Buffer.from(inserted), whole.subarray(start + removed)])
      const { rows, complaints } = await readMapped(file, map, { timezone: 'Europe/London', chunkBytes })
      assert.ok(rows.every(({ id, title }) => typeof id === 'string' && typeof title === 'string'))
      assert.ok(complaints.every((complaint) => complaint.length < 100_000))
    }),
    { numRuns: 500 },
  )
})

test('an export in JSON that is cut short is always refused', async () => {
  for (const name of ['trello-json', 'asana-json', 'github-json']) {
    const [map, whole] = [await loadMap(name, table), sample(`${name}.json`).toString().trimEnd()]
    for (let length = 1; length < whole.length; length += 7)
      assert.ok((await readMapped(whole.slice(0, length), map)).complaints.length > 0, whole.slice(0, length))
  }
})
