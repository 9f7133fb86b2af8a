import assert from 'node:assert/strict'
import { test } from 'node:test'
import { acmeProgram } from '../support/program.ts'
import { snapshotOf, syncOf } from './sync-program.ts'

test('sources are listed with their state, and deleting one removes only its tasks', async (t) => {
  const vitrine = await acmeProgram(t)
  const sync = (source: string, ids: string[], ...options: string[]) =>
    vitrine.ok(...syncOf(source), ...options, vitrine.writeFile(`${source}.json`, snapshotOf(...ids)))
  const list = () => vitrine.json('source', 'list', '--workspace', 'acme')
  const remove = (...options: string[]) => vitrine.run('source', 'delete', '--workspace', 'acme', ...options)
  assert.deepEqual(await list(), [])
  await sync(
    'jira',
    Array.from({ length: 30 }, (_, i) => `J-${i}`),
  )
  await sync('web', ['W-1', 'W-2'], '--expected-every', '15m')
  const sources = (await list()).map((source: Record<string, unknown>) => [
    ...[source.name, source.resource, source.state, source.rowCount, source.everySeconds],
  ])
  assert.deepEqual(sources, [
    ['jira', 'tasks', 'synced', 30, null],
    ['web', 'tasks', 'synced', 2, 900],
  ])

  const unconfirmed = await remove('jira')
  assert.equal(unconfirmed.code, 2)
  assert.match(unconfirmed.stderr, /this would delete jira with 30 tasks; add --yes to do it/)
  assert.equal((await list()).length, 2)

  const { code, stderr } = await remove('jira', '--yes')
  assert.deepEqual({ code, stderr }, { code: 0, stderr: 'Deleted jira of acme with 30 tasks.\n' })
  assert.deepEqual(
    (await list()).map(({ name }: { name: string }) => name),
    ['web'],
  )
  const left = await vitrine.jsonLines('task', 'list', '--workspace', 'acme', '--all')
  assert.deepEqual(
    left.map(({ id }) => id),
    ['W-1', 'W-2'],
  )
  const again = await remove('jira', '--yes')
  assert.equal(again.code, 1)
  assert.match(again.stderr, /acme has no source named jira; 'vitrine source list --workspace acme' shows them/)
})

test('an expected sync that does not run is overdue', async (t) => {
  const vitrine = await acmeProgram(t)
  const file = vitrine.writeFile('web.json', snapshotOf('W-1'))
  await vitrine.ok(...syncOf('web'), '--expected-every', '15m', file)
  const earlier = new Date(Date.now() - 3_600_000).toISOString()
  await vitrine.execute(`UPDATE sources SET synced_at = '${earlier}', attempted_at = '${earlier}'`)
  const [web] = await vitrine.json('source', 'list', '--workspace', 'acme')
  assert.equal(web.state, 'overdue')
  assert.match(
    await vitrine.fails(2, ...syncOf('web'), '--expected-every', '15m', '--every', '5m', file),
    /--expected-every: cannot be used with --every/,
  )
})
