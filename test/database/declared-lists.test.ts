// On both engines: definitions and their rows are migrated in one transaction.
/** The database remembers the definition of each declared list, and refuses one that would break clients. */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { openOperatorStore, openReadingStore, parseDatabaseUrl } from '../../src/database/open.ts'
import type { HasList } from '../../src/database/tables/declared-lists.ts'
import type { Row } from '../../src/lists/column.ts'
import { readerOf } from '../../src/lists/stored/rows.ts'
import { compileDefinition } from '../../src/resources/declared/compile.ts'
import type { Definition, FieldDefinition } from '../../src/resources/declared/definition.ts'
import { resources } from '../../src/resources/index.ts'
import { orders } from '../resources/declared/published-orders.ts'
import { connectElsewhere, freshDatabaseUrl } from '../support/database.ts'
import { differencesAt, servedStore } from '../support/operator.ts'
import { listOf, rowsOf } from '../support/written-lists.ts'

const AT = '2026-01-01T00:00:00.000Z'
const note: FieldDefinition = { type: 'text', maxLength: 50, nullable: true, description: 'A note.' }
const { tags: _, ...fieldsOfPlain } = orders({}).fields
const plain = (change: Partial<Definition> = {}): Definition => {
  const { current: _, ...others } = orders({ fields: fieldsOfPlain })
  return { ...others, ...change }
}
const withNote = (change: Partial<Definition> = {}) =>
  plain({ fields: { ...plain().fields, note }, filters: ['supplier', 'status', 'note'], ...change })
const shorter = (change: Partial<Definition> = {}) => {
  const { supplier, ...fields } = plain().fields
  return plain({ fields: { ...fields, supplier: { ...supplier, maxLength: 20 } as FieldDefinition }, ...change })
}
const declared = (...definitions: Definition[]): readonly HasList[] => [
  ...resources,
  ...definitions.map((definition) => compileDefinition(definition)),
]

async function start(t: TestContext) {
  const url = await freshDatabaseUrl(t)
  const open = async (isMigration: boolean, ...definitions: Definition[]) => {
    const store = await openOperatorStore(parseDatabaseUrl(url), declared(...definitions), {
      create: true,
      isMigration,
    })
    await store.close()
  }
  const serve = (...definitions: Definition[]) => differencesAt(url, declared(...definitions) as typeof resources)
  const elsewhere = await connectElsewhere(url, t)
  return {
    url,
    serve,
    elsewhere,
    open: (...definitions: Definition[]) => open(false, ...definitions),
    migrate: (...definitions: Definition[]) => open(true, ...definitions),
    async remembered() {
      const rows = await elsewhere.all<{ name: string; state: string; definition: string; sunset: string | null }>(
        'SELECT name, state, definition, sunset FROM declared_resources ORDER BY name',
      )
      return rows.map((row) => ({ ...row, definition: JSON.parse(row.definition) as Definition }))
    },
    /** Rows of the workspace `w`. */
    async insert(definition: Definition, ...rows: Row[]) {
      await elsewhere.run(`
        INSERT INTO workspaces (id, slug, name, created_at) VALUES ('w', 'w', 'W', '${AT}') ON CONFLICT DO NOTHING;
        INSERT INTO revisions (workspace_id, number) VALUES ('w', 1) ON CONFLICT DO NOTHING`)
      const store = await openOperatorStore(parseDatabaseUrl(url), declared(definition), { create: true })
      const { put } = rowsOf(store, listOf(compileDefinition(definition)), 'w')
      await put(rows.map((row) => ({ supplier: 'A', status: 'sent', ...row })))
      await store.close()
    },
  }
}

const refusal = (pattern: RegExp) => ({ name: 'StorageError', message: pattern })

test('a definition is remembered, and any program migrates to an extension of it', async (t) => {
  const { url, open, migrate, serve, remembered, insert } = await start(t)
  await migrate(plain())
  assert.equal((await remembered())[0]?.definition.limit, 50)
  await insert(plain(), { id: 'a' })
  await open(withNote())
  assert.ok((await remembered())[0]?.definition.fields.note)
  await insert(withNote(), { id: 'b', note: 'x' })
  assert.deepEqual(await serve(withNote()), { schema: [], definitions: [] })
  const resource = compileDefinition(withNote())
  const store = await servedStore(t, url, [...resources, resource])
  const { orders: shown } = JSON.parse(
    String((await resource.read(store, { workspaceId: 'w', now: 0, only: null }))?.body),
  )
  assert.deepEqual(
    shown.map(({ id, note: noted }: Row) => [id, noted]),
    [
      ['a', null],
      ['b', 'x'],
    ],
    'a row from before the field shows null',
  )
})

test('a change that would break clients is refused with file, member, rule and fix, and nothing changes', async (t) => {
  const { open, migrate, remembered } = await start(t)
  await migrate(plain())
  const before = await remembered()
  const message =
    /^orders\.json: does not extend the published definition of orders in the database: fields\.supplier\.maxLength: it is never lowered \(keep 200\)$/
  await assert.rejects(migrate(shorter({ limit: 60 })), refusal(message))
  await assert.rejects(open(shorter({ limit: 60 })), refusal(message))
  const { total: _, ...fields } = plain().fields
  await assert.rejects(
    migrate(plain({ fields, filters: ['status'] })),
    refusal(/fields\.total: a field is never removed \(.*\); filters: a filter is never removed \(keep supplier\)$/),
  )
  await assert.rejects(
    migrate(plain({ state: 'draft' })),
    refusal(/state: a published resource does not become a draft/),
  )
  assert.deepEqual(await remembered(), before)
  await migrate(plain())
})

test('a server with an older file serves with a warning, and undoes nothing', async (t) => {
  const { url, open, migrate, serve, remembered } = await start(t)
  await migrate(plain())
  await migrate(withNote())
  const { schema, definitions } = await serve(plain())
  assert.deepEqual(schema, [])
  assert.deepEqual(
    definitions.map(({ kind, resource }) => ({ kind, resource })),
    [{ kind: 'older', resource: 'orders' }],
  )
  await open(plain())
  await (await openReadingStore(parseDatabaseUrl(url), declared(plain()))).close()
  assert.ok((await remembered())[0]?.definition.fields.note, 'the newer definition stays')
  await assert.rejects(migrate(plain()), refusal(/fields\.note: a field is never removed/))
  assert.deepEqual((await serve(withNote())).definitions, [])
})

for (const hides of [false, true])
  test(`a running server whose file is older than \`current\` in the database serves what its file declares, and warns${hides ? ', also if it hides rows' : ''}`, async (t) => {
    const { url, migrate, serve, insert } = await start(t)
    const plain = orders({})
    const { status } = plain.fields
    const values = plain.current?.status as string[]
    const current = (of: string[]) => ({ status: of, ...(hides && { deliveryAt: 'past' as const }) })
    const open = orders({ current: current(values) })
    const archived = { ...status, values: [...(status?.values ?? []), 'archived'] } as FieldDefinition
    const extended = orders({
      fields: { ...open.fields, status: archived },
      current: current([...values, 'archived']),
    })
    await migrate(open)
    await insert(open, { id: 'a' })
    const orderList = compileDefinition(open)
    const store = await servedStore(t, url, [...resources, orderList])
    const scope = { workspaceId: 'w', now: Date.now(), only: null }
    const page = { limit: 10, filters: { supplier: 'A' }, withTotal: true }
    const read = async () => {
      const whole = await orderList.read(store, scope)
      const rows = await readerOf(store, listOf(orderList)).page(scope, page)
      const ids = (JSON.parse(String(whole?.body)) as { orders: { id: string }[] }).orders.map(({ id }) => id)
      return { ids, total: rows.total?.count }
    }
    assert.deepEqual(await read(), { ids: ['a'], total: 1 })
    await migrate(extended)
    await insert(extended, { id: 'b' }, { id: 'c', status: 'archived' })
    assert.deepEqual(await read(), { ids: ['a', 'b'], total: 2 })
    assert.match((await serve(open)).definitions[0]?.reason ?? '', /^the file is older than .*deploy the newer file/)
  })

test('a different wording is only a warning, until it is migrated to', async (t) => {
  const { open, migrate, serve, remembered } = await start(t)
  await migrate(plain())
  const reworded = plain({ description: 'Other words.' })
  await open(reworded)
  assert.deepEqual(
    (await serve(reworded)).definitions.map(({ kind }) => kind),
    ['reworded'],
  )
  assert.notEqual((await remembered())[0]?.definition.description, 'Other words.')
  await migrate(reworded)
  assert.equal((await remembered())[0]?.definition.description, 'Other words.')
  assert.deepEqual((await serve(reworded)).definitions, [])
})

test('a draft may change as it likes, with its rows, by a migration and only by that', async (t) => {
  const { url, open, migrate, remembered, serve, insert } = await start(t)
  const draft = plain({ state: 'draft' })
  await migrate(draft)
  await insert(draft, { id: 'a', link: 'https://shop.example/a', total: '5' })
  const { total: _, ...fields } = shorter().fields
  const other = plain({ state: 'draft', fields: { ...fields, link: { ...note, description: 'A link.' } }, order: [] })
  await assert.rejects(open(other), refusal(/order: .*; 'vitrine migrate' applies this to a draft$/))
  await migrate(other)
  assert.deepEqual((await remembered())[0]?.definition.order, [])
  assert.deepEqual(await serve(other), { schema: [], definitions: [] })
  const resource = compileDefinition(other)
  const store = await servedStore(t, url, [...resources, resource])
  const { orders: shown } = JSON.parse(
    String((await resource.read(store, { workspaceId: 'w', now: 0, only: null }))?.body),
  )
  assert.deepEqual(shown, [
    {
      id: 'a',
      supplier: 'A',
      link: 'https://shop.example/a',
      pieces: null,
      deliveryAt: null,
      urgent: false,
      status: 'sent',
    },
  ])
  await migrate({ ...other, state: 'published' })
  assert.equal((await remembered())[0]?.state, 'published')
})

test('of two extensions of one definition, the first one wins', async (t) => {
  const { migrate, open, remembered } = await start(t)
  await migrate(plain())
  const other = plain({ fields: { ...plain().fields, remark: note } })
  const outcomes = await Promise.allSettled([open(withNote()), open(other)])
  assert.deepEqual(outcomes.map(({ status }) => status).sort(), ['fulfilled', 'rejected'])
  const [{ definition } = assert.fail()] = await remembered()
  assert.notEqual(definition.fields.note === undefined, definition.fields.remark === undefined)
})
