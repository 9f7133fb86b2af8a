import assert from 'node:assert/strict'
import { tableDatabases } from '../../../src/database/in-place/open.ts'
import { parseDatabaseUrl } from '../../../src/database/open.ts'
import { compileDefinition } from '../../../src/resources/declared/compile.ts'
import { onEach } from '../../support/database.ts'
import { inPlace, shopDatabase, TABLES } from './shop.ts'

onEach('a table is compared with its definition: columns, the role, and an index for the order', async (t, engine) => {
  const { url, run } = await shopDatabase(t, engine)
  const open = tableDatabases(() => parseDatabaseUrl(url))
  const examine = async (changes: Record<string, unknown> = {}) => {
    const { inPlace: table } = compileDefinition(inPlace(changes), 'orders.json', open)
    assert.ok(table)
    const { faults, warnings } = await table.examine()
    return { faults, warnings: warnings.filter(({ field }) => field === 'table'), mayWrite: warnings.length }
  }
  assert.deepEqual((await examine()).faults, [
    { field: 'table', problem: 'there is no table or view "open_orders" that the role can find' },
  ])
  await run(TABLES[engine])
  const missing = { 'rows.columns': { deliveryAt: 'due' }, 'rows.workspaceColumn': 'tenant' }
  assert.deepEqual((await examine(missing)).faults, [
    { field: 'deliveryAt', problem: 'the table has no column "due"' },
    { field: 'workspaceColumn', problem: 'the table has no column "tenant"' },
  ])
  const { faults, warnings, mayWrite } = await examine()
  assert.deepEqual(faults, [])
  // The tests connect as the owner; a SQLite file is opened for reading only.
  assert.equal(mayWrite, engine === 'sqlite' ? 1 : 2)
  const [, statement = ''] = /; (CREATE INDEX .*) creates one$/.exec(warnings[0]?.problem ?? '') ?? []
  await run(statement)
  assert.deepEqual((await examine()).warnings, [], statement)
  await run('CREATE VIEW open AS SELECT * FROM open_orders')
  assert.deepEqual((await examine({ 'rows.table': 'open' })).warnings, [])
})
