// On both engines: each engine has its own schema.
import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { orders } from '../resources/declared/published-orders.ts'
import { freshDatabaseUrl } from '../support/database.ts'
import { acmeProgram, program } from '../support/program.ts'

const published = orders({})
const NOTHING = 'The database is up to date: there was nothing to do.\n'

async function withOrders(t: TestContext) {
  const vitrine = await acmeProgram(t)
  vitrine.env.RESOURCES = vitrine.folder
  const write = (definition: object) => vitrine.writeFile('orders.json', JSON.stringify(definition))
  const said = async (...options: string[]) => (await vitrine.run('migrate', ...options)).stderr
  return { vitrine, write, said }
}

test('migrate says that it created the database, and afterwards that there was nothing to do', async (t) => {
  const vitrine = program(t)
  vitrine.env.DATABASE_URL = await freshDatabaseUrl(t)
  const said = async (...options: string[]) => (await vitrine.run('migrate', ...options)).stderr
  for (const _ of [1, 2])
    assert.equal(await said('--dry-run'), 'Would create the database.\nDry run, nothing was changed.\n')
  const { created, upToDate } = await vitrine.json('migrate', '--dry-run')
  assert.deepEqual([created, upToDate], [true, false])
  assert.equal(await said(), 'Created the database.\nThe database is up to date.\n')
  assert.equal(await said(), NOTHING)
  assert.equal(await said('--dry-run'), NOTHING)
})

test('migrate names the definitions that it records, and the lists whose rows it stores again', async (t) => {
  const { vitrine, write, said } = await withOrders(t)
  write({ ...published, state: 'draft' })
  assert.equal(await said('--dry-run'), 'Would record the draft of orders.\nDry run, nothing was changed.\n')
  assert.deepEqual(await vitrine.query('SELECT * FROM declared_resources'), [])
  assert.equal(await said(), 'Recorded the draft of orders.\nThe database is up to date.\n')
  const row = { id: 'PO-1', supplier: 'A', status: 'sent' }
  await vitrine.ok('order', 'import', '--workspace', 'acme', vitrine.writeFile('rows.ndjson', JSON.stringify(row)))
  rmSync(join(vitrine.folder, 'rows.ndjson'))

  const note = { type: 'text', maxLength: 20, nullable: true, description: 'A note.' }
  write({ ...published, fields: { ...published.fields, note }, example: { ...published.example, note: null } })
  const steps = (record: string, store: string) =>
    `${record} the changed published definition of orders.\n${store} the rows of orders again, for its new definition.\n`
  assert.equal(await said('--dry-run'), `${steps('Would record', 'Would store')}Dry run, nothing was changed.\n`)
  assert.equal(await said(), `${steps('Recorded', 'Stored')}The database is up to date.\n`)

  write(published)
  for (const options of [[], ['--dry-run']])
    assert.match(await vitrine.fails(1, 'migrate', ...options), /fields\.note: a field is never removed/)
})
