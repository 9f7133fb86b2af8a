import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { sample } from '../import/read-mapped.ts'
import { documentedCode } from '../support/documented.ts'
import { acmeProgram } from '../support/program.ts'
import { storedRows } from '../support/written-lists.ts'

/** The program with a database and the workspace acme, in London. */
async function acme(t: TestContext) {
  const vitrine = await acmeProgram(t)
  await vitrine.execute(`UPDATE workspaces SET timezone = 'Europe/London'`)
  return vitrine
}

test("the guide's map reads the guide's file, on import", async (t) => {
  const vitrine = await acme(t)
  vitrine.writeFile('map.json', documentedCode('docs/maps.md', 'json', '"shop-"'))
  vitrine.writeFile('export.csv', documentedCode('docs/maps.md', 'csv'))
  await vitrine.ok('task', 'import', '--workspace', 'acme', '--map', './map.json', 'export.csv')
  const [row, ...others] = await storedRows({ all: vitrine.query })
  assert.partialDeepStrictEqual(row, {
    id: 'shop-7',
    title: 'Order paint',
    details: 'Matt,\ntwo tins\nTags: wall, blue',
    dueAt: '2026-07-20T22:59:59.000Z',
    assigneeName: 'Priya',
    status: 'open',
  })
  assert.deepEqual(others, [])
})

test('a built-in map is printed unchanged, and works like the built-in one', async (t) => {
  const vitrine = await acmeProgram(t)
  const { stdout } = await vitrine.run('task', 'map', 'jira-csv')
  vitrine.writeFile('own.json', stdout)
  vitrine.writeFile('jira.csv', sample('jira-csv.csv'))
  const words = ['task', 'import', '--workspace', 'acme', '--map', './own.json', 'jira.csv']
  assert.ok((await vitrine.json(...words)).created > 0)
  assert.match(
    (await vitrine.run('task', 'map', 'jira')).stderr,
    /there is no built-in map jira; the built-in maps are/,
  )
})

test('the first twenty problems of many bad records are shown, equal ones once, and the others are counted', async (t) => {
  const vitrine = await acmeProgram(t)
  const run = async (records: string) => {
    vitrine.writeFile('bad.ndjson', records)
    return (await vitrine.run('task', 'import', '--workspace', 'acme', 'bad.ndjson')).stderr.trimEnd().split('\n')
  }
  assert.deepEqual(await run('{"id":"a"}\n'.repeat(1234)), [
    'line 1, id a: title is required',
    '… and 1,233 more records: title is required',
    'vitrine: nothing was imported: 1,234 bad records',
  ])
  const different = Array.from({ length: 25 }, (_, i) => `{"id":"a","title":"A","x${i}":1}\n`)
  const lines = await run(different.join(''))
  assert.equal(lines.length, 22)
  assert.equal(lines[19], 'line 20, id a: x19 is not a known field')
  assert.deepEqual(lines.slice(20), [
    '… and 5 more bad records with other problems',
    'vitrine: nothing was imported: 25 bad records',
  ])
})

test('a task without a title gets a default one from a built-in map, which an import and a dry run count', async (t) => {
  const vitrine = await acmeProgram(t)
  vitrine.writeFile('asana.csv', 'Task ID,Name,Completed At\n1,Order linen,\n2,,\n3,,\n')
  for (const words of ['task sync --source asana --dry-run', 'task import']) {
    const { stderr } = await vitrine.run(
      ...[...words.split(' '), '--workspace', 'acme', '--map', 'asana-csv', 'asana.csv'],
    )
    assert.match(stderr, /^The map asana-csv gave 2 records the title "\(no title\)"\.$/m)
  }
})
