// On both engines: tables go with a list.
/** How a published resource ends, and what is reported about files that differ from the database. */
import assert from 'node:assert/strict'
import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import type { Definition } from '../../src/resources/declared/definition.ts'
import { orders, withNotes } from '../resources/declared/published-orders.ts'
import { freshDatabaseUrl, testOnly } from '../support/database.ts'
import { acmeProgram } from '../support/program.ts'
import { waitUntil } from '../support/wait.ts'

const { current: _, ...published } = orders({})
const DAY_MS = 86_400_000
const lifecycle = (sunset: number) =>
  JSON.stringify({
    '/orders': {
      deprecation: new Date(sunset - 100 * DAY_MS).toISOString(),
      sunset: new Date(sunset).toISOString(),
    },
  })

async function start(t: TestContext, definition: Definition = published) {
  const vitrine = await acmeProgram(t)
  vitrine.env.RESOURCES = vitrine.folder
  const write = (next: Definition) => vitrine.writeFile('orders.json', JSON.stringify(next))
  write(definition)
  await vitrine.ok('migrate')
  const row = { id: 'PO-1', supplier: 'A', status: 'sent' }
  await vitrine.ok('order', 'import', '--workspace', 'acme', vitrine.writeFile('rows.ndjson', JSON.stringify(row)))
  const removeFile = () => {
    rmSync(join(vitrine.folder, 'orders.json'))
    delete vitrine.env.RESOURCES
  }
  const warnings = async () => {
    const { checks } = JSON.parse((await vitrine.run('doctor', '--json')).stdout) as {
      checks: { name: string; state: string; message: string }[]
    }
    return checks.filter(({ name }) => name === 'resource orders').map(({ state, message }) => `${state}: ${message}`)
  }
  return { vitrine, write, removeFile, warnings }
}

test('a resource is retired: announced, recorded, removed after its sunset, and dropped', async (t) => {
  const { vitrine, write, removeFile, warnings } = await start(t)
  const sunset = Date.now() + 10 * DAY_MS
  vitrine.env.LIFECYCLE = lifecycle(sunset)
  assert.deepEqual(await warnings(), ['warning: LIFECYCLE announces a sunset that is not recorded'])
  assert.deepEqual((await vitrine.json('migrate')).sunsets, [
    { resource: 'orders', sunset: new Date(sunset).toISOString() },
  ])
  assert.deepEqual(await warnings(), [])
  assert.match((await vitrine.run('resource', 'drop', 'orders', '--yes')).stderr, /RESOURCES still declares orders/)
  delete vitrine.env.LIFECYCLE
  assert.deepEqual((await vitrine.json('migrate')).sunsets, [{ resource: 'orders', sunset: null }], 'it is withdrawn')
  vitrine.env.LIFECYCLE = lifecycle(sunset)
  await vitrine.ok('migrate')
  delete vitrine.env.LIFECYCLE
  removeFile()
  const commands = [['migrate'], ['serve'], ['resource', 'drop', 'orders', '--yes']]
  const unset = `has published resources (orders), and RESOURCES is not set; set it to the folder with their definitions, which were last read from ${vitrine.folder}`
  for (const words of commands) assert.ok((await vitrine.run(...words)).stderr.trim().endsWith(unset), words.join(' '))
  mkdirSync(join(vitrine.folder, 'others'))
  vitrine.writeFile('others/stock.json', JSON.stringify({ ...published, name: 'stock', singular: 'part' }))
  vitrine.env.RESOURCES = join(vitrine.folder, 'others')
  for (const words of commands)
    assert.match((await vitrine.run(...words)).stderr, /put its file back into RESOURCES: it stays until its sunset/)
  delete vitrine.env.RESOURCES

  const past = new Date(Date.now() - 1).toISOString()
  await vitrine.execute(`UPDATE declared_resources SET sunset = '${past}'`)
  assert.deepEqual((await vitrine.json('migrate')).sunsets, [], 'a sunset that has passed is kept')
  assert.match((await warnings()).join(), /^warning: .*this retired resource.*'vitrine resource drop orders'$/)
  assert.equal((await vitrine.query('SELECT * FROM list_items')).length, 1)
  assert.match(
    await vitrine.fails(2, 'resource', 'drop', 'orders'),
    /this would delete orders with 1 row of 1 workspace; add --yes to do it/,
  )
  assert.deepEqual(await vitrine.json('resource', 'drop', 'orders', '--yes'), {
    ...{ resource: 'orders', rows: 1, workspaces: 1 },
  })
  const entries = await vitrine.jsonLines('audit', '--workspace', 'acme')
  const entry = entries.flat().find(({ action }: { action: string }) => action === 'resource.dropped')
  assert.deepEqual(entry?.detail, { rows: 1 })
  assert.deepEqual(await warnings(), [])
  for (const table of ['list_items', 'stored_lists', 'declared_resources'])
    assert.deepEqual(await vitrine.query(`SELECT * FROM ${table}`), [], table)
  assert.match((await vitrine.run('resource', 'drop', 'tasks', '--yes')).stderr, /has no declared resource 'tasks'/)
  // Nothing is left of it: a workspace can be deleted, and the resource declared again.
  await vitrine.ok('workspace', 'create', '--name', 'Other', '--slug', 'other')
  await vitrine.ok('workspace', 'archive', 'other')
  await vitrine.ok('workspace', 'delete', 'other', '--yes')
  write(published)
  vitrine.env.RESOURCES = vitrine.folder
  await vitrine.ok('migrate')
  assert.match(await vitrine.ok('audit', 'verify'), /./)
})

test('doctor and the log name the resource whose file is older than the database', async (t) => {
  const { vitrine, write, warnings } = await start(t, withNotes(published, 'note'))
  write(published)
  assert.match((await warnings()).join(), /^warning: the file is older than the definition/)
  const server = await vitrine.serve()
  await waitUntil(() => server.output().includes('the file is older than'))
  const line = server
    .output()
    .split('\n')
    .find((text) => text.includes('"resource":"orders"'))
  assert.equal(JSON.parse(line ?? '{}').level, 40)
  await server.stop()
  assert.match((await vitrine.run('migrate')).stderr, /orders\.json: .* fields\.note: a field is never removed/)
})

test("a copy has the original's definitions and sunsets; a resource without a file is not silently left behind", async (t) => {
  const { vitrine, removeFile } = await start(t)
  const sunset = Date.now() + 10 * DAY_MS
  vitrine.env.LIFECYCLE = lifecycle(sunset)
  await vitrine.ok('migrate')
  const from = vitrine.env.DATABASE_URL ?? ''
  const to = await freshDatabaseUrl(t)
  await vitrine.ok('copy', '--from', from, '--to', to)
  const remembered = () => vitrine.query('SELECT name, state, definition, sunset FROM declared_resources')
  const before = await remembered()
  vitrine.env.DATABASE_URL = to
  assert.deepEqual(await remembered(), before)
  assert.equal((await vitrine.query('SELECT * FROM list_items')).length, 1)
  await vitrine.execute(`UPDATE declared_resources SET sunset = '2026-01-01T00:00:00.000Z'`)
  const changed = await remembered()
  assert.match(await vitrine.fails(1, 'copy', '--from', from, '--to', to), /the target is not empty/)
  assert.deepEqual(await remembered(), changed, 'the target is unchanged')
  removeFile()
  delete vitrine.env.LIFECYCLE
  const { stderr } = await vitrine.run('copy', '--from', to, '--to', await freshDatabaseUrl(t))
  assert.match(stderr, /orders cannot be copied: the database has this retired resource/)
})

testOnly('sqlite')('a restored backup is migrated to an extension, and refused otherwise', async (t) => {
  const { vitrine, write } = await start(t)
  await vitrine.ok('backup', 'backup.db')
  write(withNotes(published, 'note'))
  await vitrine.ok('restore', 'backup.db')
  const [row] = await vitrine.query<{ definition: string }>('SELECT definition FROM declared_resources')
  assert.ok(JSON.parse(row?.definition ?? '{}').fields.note)
  write({ ...published, order: [] })
  assert.match((await vitrine.run('restore', 'backup.db')).stderr, /order: the order never changes/)
})
