/** A plain list whose fields have the names that the service uses itself. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { OperatorStore } from '../../src/database/store.ts'
import { choice, creation, instant, integer, mark, type Row, text } from '../../src/database/table.ts'
import { defineList } from '../../src/resources/list.ts'
import { createWorkspace } from '../support/changes.ts'
import { freshDatabaseUrl } from '../support/database.ts'
import { addRecords } from '../support/import-records.ts'
import { plainResource } from '../support/plain-resource.ts'
import { startService } from '../support/service.ts'
import { openStore } from '../support/stores.ts'
import { callTool } from '../support/tool-calls.ts'

const AT = '2026-11-15T12:00:00.000Z'
const MAX_PARTS = 3

/** Keywords of SQL, and what the statements of either engine call things. */
const taken =
  `order group limit from when user end default check table select null true place one row chosen object objects json
  age same firstPlace isNew taken staged rows t o n fault number newRows oldRows tgName excluded now string key`.split(
    /\s+/,
  )
const own = () => text({ maxLength: 100, nullable: true, description: 'Named like one of our own.' })
const columns = {
  id: text({ maxLength: 100, description: 'Identifier.' }),
  workspace: own(),
  before: own(),
  after: own(),
  level: integer({ minimum: 1, maximum: 9, nullable: true, description: 'Level.' }),
  state: choice(['new', 'used'], { description: 'State.' }),
  soldAt: instant({ nullable: true, description: 'When it was sold.' }),
  ...(Object.fromEntries(taken.map((field) => [field, own()])) as Record<'object' | 'user', ReturnType<typeof own>>),
  seen: mark({ description: 'Seen.' }),
  addedAt: creation({ published: false, description: 'When it was added.' }),
  createdAt: instant({ nullable: true, description: 'When it was made, by its maker.' }),
}
const filters = ['workspace', 'before', 'after', 'level', 'state', 'soldAt', 'user'] as const
const list = defineList(
  { name: 'order', singular: 'part', version: 1, columns },
  { order: ['object', 'id'], filters, limit: MAX_PARTS },
)

const parts = plainResource(list)

const RECORDS = [
  { id: 'a', workspace: 'acme', level: 1 },
  { id: 'b', before: 'x', after: 'y', state: 'used' },
  { id: 'c', soldAt: '2026-01-01T00:00:00Z' },
  { id: 'd' },
  { id: 'first', object: 'z', ...Object.fromEntries(taken.map((field) => [field, field])) },
]

test('a list is narrowed only by its filters, and by valid values', async (t) => {
  const service = await startService(t, { resources: [parts] })
  const other = await createWorkspace(service.operator, { name: 'Other', slug: 'other' }, 'test', AT)
  const add = (slug: string, records: object[]) => addRecords(service.operator, list.table, slug, records, AT)
  await add('acme', RECORDS)
  await add('other', [{ id: 'secret', workspace: 'acme' }])

  const { token } = await service.createKey({ permissions: ['order:read'] })
  const server = { url: service.url, key: token }
  /** The ids, or what is wrong with the arguments. */
  const call = (args: object) =>
    callTool(server, '2025-03-26 on /mcp', 'list_order', args).then(
      ({ text }) => (JSON.parse(text).order as { id: string }[]).map(({ id }) => id).join(),
      (error: Error) => error.message,
    )
  assert.equal(await call({}), 'first,a,b')
  assert.equal(await call({ limit: 1 }), 'first')
  assert.equal(await call({ workspace: 'acme' }), 'a')
  assert.equal(await call({ workspace: other.id }), '')
  assert.equal(await call({ before: 'x', after: 'y' }), 'b')
  assert.equal(await call({ level: 1, state: 'new' }), 'a')
  assert.equal(await call({ state: 'used' }), 'b')
  assert.equal(await call({ soldAt: '2026-01-01T01:00:00+01:00' }), 'c')
  assert.equal(await call({ user: 'user' }), 'first')
  await add('acme', [{ id: 'd', addedAt: '2026-01-01T00:00:00Z' }])
  await add('acme', [
    { id: 'd', user: 'new' },
    { id: 'd', user: 'newer' },
  ])
  assert.equal(await call({ user: 'newer' }), 'd')

  const target = await openStore(t, await freshDatabaseUrl(t), [parts])
  await target.load(service.operator.dump())
  const rows = await rowsOf(service.operator)
  assert.deepEqual(await rowsOf(target), rows)
  assert.deepEqual(
    rows.filter(({ id }) => id === 'c' || id === 'd').map(({ added_at, created_at }) => [added_at, created_at]),
    [
      [AT, null],
      ['2026-01-01T00:00:00.000Z', null],
    ],
  )
  assert.deepEqual(
    (await target.examine()).filter(({ ok }) => !ok),
    [],
  )
  for (const [args, problem] of [
    [{ limit: -1 }, `limit must be a whole number from 1 to ${MAX_PARTS}`],
    [{ limit: MAX_PARTS + 1 }, `limit must be a whole number from 1 to ${MAX_PARTS}`],
    [{ level: 1e30 }, 'level must be at most 9'],
    [{ state: 'lost' }, 'state must be one of new, used'],
    [{ soldAt: 'junk' }, 'soldAt must be a valid date'],
    [{ addedAt: AT }, 'addedAt is not a known argument'],
  ] as const)
    assert.match(await call(args), new RegExp(problem))
})

async function rowsOf(store: OperatorStore) {
  const all: Row[] = []
  for await (const { table, rows } of store.dump()) if (table === 'order') all.push(...rows)
  assert.equal(all.length, RECORDS.length + 1)
  return all
}
