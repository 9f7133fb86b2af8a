import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { builtInMapNames, loadMap } from '../../src/import/map/load-map.ts'
import { currentTasks } from '../../src/resources/tasks/list.ts'
import { readMapped, sample } from './read-mapped.ts'

const names = await builtInMapNames()

/** A map's sample, in a layout that docs/maps.md names; the resulting tasks are next to it, for a workspace in London. */
const sampleOf = (name: string) => sample(`${name}.${name.endsWith('-csv') ? 'csv' : 'json'}`)
const tasksOf = (name: string) =>
  sample(`${name}.tasks.ndjson`)
    .toString()
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))

for (const name of names) {
  test(`${name} reads its vendor's layout, whatever the chunk boundaries`, async () => {
    const map = await loadMap(name, currentTasks)
    for (const chunkBytes of [1, 7, 65_536])
      assert.deepEqual(await readMapped(sampleOf(name), map, { timezone: 'Europe/London', chunkBytes }), {
        rows: tasksOf(name),
        complaints: [],
      })
  })

  test(`a file for ${name} that is read without a map is rejected with a hint at maps`, async () => {
    const { rows, complaints } = await readMapped(sampleOf(name), undefined)
    assert.deepEqual(rows, [])
    assert.match(complaints[0] ?? '', /use a map (to locate them|for other columns): see --map/)
  })
}

test('without a timezone, a date ends in UTC', async () => {
  const { rows } = await readMapped(sampleOf('jira-csv'), await loadMap('jira-csv', currentTasks))
  assert.equal(rows[0]?.dueAt, '2026-11-20T23:59:59.000Z')
  const { rows: abroad } = await readMapped(sampleOf('jira-csv'), await loadMap('jira-csv', currentTasks), {
    timezone: 'America/New_York',
  })
  assert.equal(abroad[0]?.dueAt, '2026-11-21T04:59:59.000Z')
})

test('a damaged export is rejected or read, and never crashes the program', async () => {
  const maps = await Promise.all(names.map((name) => loadMap(name, currentTasks)))
  const damaged = fc.record({
    map: fc.constantFrom(...maps),
    at: fc.double({ min: 0, max: 1, noNaN: true }),
    removed: fc.nat(200),
    inserted: fc.oneof(fc.string(), fc.constantFrom('"', '{', ']', '\\', '\n', ',', ';', '\u0000', '1e999', '[[[[')),
    chunkBytes: fc.integer({ min: 1, max: 500 }),
  })
  await fc.assert(
    fc.asyncProperty(damaged, async ({ map, at, removed, inserted, chunkBytes }) => {
      const whole = sampleOf(map.name)
      const start = Math.floor(at * whole.length)
      const file = Buffer.concat([whole.subarray(0, start), Buffer.from(inserted), whole.subarray(start + removed)])
      const { rows, complaints } = await readMapped(file, map, { timezone: 'Europe/London', chunkBytes })
      assert.ok(rows.every(({ id, title }) => typeof id === 'string' && typeof title === 'string'))
      assert.ok(complaints.every((complaint) => complaint.length < 100_000))
    }),
    { numRuns: 500 },
  )
})

test('a truncated JSON export is always rejected', async () => {
  for (const name of ['trello-json', 'asana-json', 'github-json']) {
    const [map, whole] = [await loadMap(name, currentTasks), sampleOf(name).toString().trimEnd()]
    for (let length = 1; length < whole.length; length += 7)
      assert.ok((await readMapped(whole.slice(0, length), map)).complaints.length > 0, whole.slice(0, length))
  }
})

test("Todoist's plain dates are due dates, and others remain words", async () => {
  const map = await loadMap('todoist-csv', currentTasks)
  const dueOf = async (date: string) => {
    const { rows, complaints } = await readMapped(`TYPE,CONTENT,DATE\ntask,Call,"${date}"\n`, map)
    assert.deepEqual(complaints, [])
    assert.equal(rows[0]?.details, `Date: ${date}`)
    return rows[0]?.dueAt
  }
  for (const date of [
    '2026-11-20',
    'Nov 20 2026',
    '20 Nov 2026',
    'Nov 20, 2026',
    'November 20, 2026',
    '20 November 2026',
  ])
    assert.equal(await dueOf(date), '2026-11-20T23:59:59.000Z', date)
  for (const date of ['Nov 20 2026 9:00 AM', '20 Nov 2026 09:00', 'Nov 20, 2026 9:00 AM', '20 Nov 2026 9am'])
    assert.equal(await dueOf(date), '2026-11-20T09:00:00.000Z', date)
  for (const date of ['every monday', 'Nov 20', 'tomorrow']) assert.equal(await dueOf(date), undefined, date)
})
