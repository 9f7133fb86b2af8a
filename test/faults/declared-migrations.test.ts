/** A migration of a declared list that is killed leaves the old definition and rows, or the new ones. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import type { Differences } from '../../src/database/store.ts'
import { compileDefinition } from '../../src/resources/declared/compile.ts'
import type { Definition } from '../../src/resources/declared/definition.ts'
import { resources } from '../../src/resources/index.ts'
import { orders, withNotes } from '../resources/declared/published-orders.ts'
import { acmeProgram, type Program, program } from '../support/program.ts'
import { differencesAt } from '../support/stores.ts'

const { current: _, ...base } = orders({})
const extended: Definition = {
  ...withNotes(base, 'note', 'remark'),
  filters: ['supplier', 'status', 'note', 'remark'],
  search: ['supplier', 'note'],
}

/** What the server that has the remembered definition finds wrong with the schema. */
async function differencesIn(vitrine: Program): Promise<{ definition: Definition } & Differences> {
  const [row] = await vitrine.query<{ definition: string }>('SELECT definition FROM declared_resources')
  const definition = JSON.parse(row?.definition ?? assert.fail('nothing is remembered')) as Definition
  const compiled = [...resources, compileDefinition(definition)]
  return { definition, ...(await differencesAt(vitrine.env.DATABASE_URL ?? '', compiled)) }
}

/** Enough for several statements. */
const ROWS = 500

async function declared(t: TestContext, definition: Definition): Promise<Program> {
  const vitrine = await acmeProgram(t)
  vitrine.env.RESOURCES = vitrine.folder
  vitrine.writeFile('orders.json', JSON.stringify(definition))
  await vitrine.ok('migrate')
  const rows = Array.from({ length: ROWS }, (_, i) => ({ id: `PO-${i}`, supplier: 'A', status: 'sent' }))
  vitrine.writeFile('rows.ndjson', rows.map((row) => JSON.stringify(row)).join('\n'))
  await vitrine.ok('order', 'import', '--workspace', 'acme', 'rows.ndjson')
  return vitrine
}

const killing = (vitrine: Program, after: number) => {
  vitrine.env.NODE_OPTIONS = `--import=${join(import.meta.dirname, '../support/kill-at-statement.ts')}`
  vitrine.env.KILL_AFTER = String(after)
}

for (const [change, from, to] of [
  ['an extension', base, extended],
  ['a draft that is replaced', { ...base, state: 'draft' }, { ...extended, state: 'draft', order: ['supplier'] }],
] as [string, Definition, Definition][])
  test(`a migration killed after any of its statements leaves the old or the new definition, with its rows: ${change}`, async (t) => {
    const vitrine = await declared(t, from)
    vitrine.writeFile('orders.json', JSON.stringify(to))
    let [kills, after] = [0, 1]
    for (; ; after = Math.ceil(1.7 * after)) {
      killing(vitrine, after)
      const { code, stderr } = await vitrine.run('migrate')
      assert.ok(code === 0 || code === null, stderr)
      const { definition, schema, definitions } = await differencesIn(vitrine)
      assert.deepEqual({ schema, definitions }, { schema: [], definitions: [] }, `killed after ${after} statements`)
      const items = await vitrine.query<{ body: string }>('SELECT body FROM list_items')
      const isNew = definition.fields.note !== undefined
      assert.equal(items.filter(({ body }) => body.includes('"note":') === isNew).length, ROWS)
      // Some statements follow the transaction; one that is killed among them has migrated.
      if (isNew) break
      assert.equal(code, null, 'it ended without migrating')
      kills++
    }
    assert.ok(kills >= 4, `it was killed ${kills} times`)
  })

test('concurrent migrations leave one definition, whichever they have', async (t) => {
  const vitrine = await declared(t, base)
  const { NODE_OPTIONS: _, ...env } = vitrine.env
  const other = program(t, env)
  other.env.RESOURCES = other.folder
  other.writeFile('orders.json', JSON.stringify(withNotes(base, 'remark')))
  vitrine.writeFile('orders.json', JSON.stringify(withNotes(base, 'note')))
  const outcomes = await Promise.all([vitrine, other, vitrine, other].map((each) => each.runApart('migrate')))
  const [first, second] = [outcomes[0]?.code === 0 ? [0, 2] : [1, 3], outcomes[0]?.code === 0 ? [1, 3] : [0, 2]]
  for (const i of first) assert.equal(outcomes[i]?.code, 0, outcomes[i]?.stderr)
  for (const i of second)
    assert.match(outcomes[i]?.stderr ?? '', /orders\.json: does not extend the published definition/)
  const { schema, definitions } = await differencesIn(vitrine)
  assert.deepEqual({ schema, definitions }, { schema: [], definitions: [] })
})
