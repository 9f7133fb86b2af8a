import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { type Admission, permissionSet } from '../../src/database/admission.ts'
import type { PublicStore } from '../../src/database/store.ts'
import { arrayOf, object, string } from '../../src/lib/schema.ts'
import { text } from '../../src/lists/column.ts'
import { createList } from '../../src/lists/definition.ts'
import { toolFormat } from '../../src/mcp/2026-07-28/tools.ts'
import { toolMethods } from '../../src/mcp/tools.ts'
import type { Resource } from '../../src/resources/define.ts'
import { ResponseCache } from '../../src/resources/response-cache.ts'

const NOON = Date.parse('2026-11-15T12:00:00.000Z')

const admission = (revision = 1, now = NOON): Admission => ({
  keyId: 'key',
  isConnection: false,
  workspaceId: 'ws',
  permissions: new Set(['notes:read']),
  quota: { limit: 1, windowSeconds: 1 },
  window: { used: 1, resetsAt: NOON },
  available: true,
  revision,
  now,
})

const columns = {
  id: text({ maxLength: 100, description: '' }),
  text: text({ maxLength: 100, description: '' }),
}

/** Notes that record how often and since when they were asked for. */
function start() {
  const asked: unknown[] = []
  let reads = 0
  const notes: Resource = {
    name: 'notes',
    path: '/notes',
    permission: 'notes:read',
    summary: '',
    description: '',
    body: object({ notes: arrayOf(object({ id: string() })) }),
    schemas: {},
    example: {},
    tool: {
      name: 'list_notes',
      title: '',
      description: '',
      filters: { at: string({ format: 'date-time' }), by: string() },
    },
    list: createList(
      { name: 'notes', singular: 'note', columns },
      {
        limit: 10,
        countBy: {},
        filters: () => ({
          at(value) {
            asked.push(value)
            return {}
          },
          by: () => ({}),
        }),
      },
    ),
    read: async () => undefined,
  }
  const row = { seq: 1, sortKey: '', body: `{"id":"n","text":"${'x'.repeat(20_000)}"}` }
  const head = { shape: null, until: NOON + 1000, revision: 1 }
  const store = {
    /** That of the workspace. */
    rows: async () => [{ timezone: null }],
    snapshot: async (_: string, work: (db: { all(sql: string): Promise<object[]> }) => Promise<unknown>) => {
      reads++
      return work({ all: async (sql) => [sql.includes('stored_lists') ? head : row] })
    },
  } as unknown as PublicStore
  const methods = toolMethods([notes], new ResponseCache(store, 10_000_000), toolFormat)
  return {
    asked,
    reads: () => reads,
    call: (args: unknown, from = admission()) =>
      methods['tools/call']({ name: 'list_notes', arguments: args }, from, {}),
    list: (permissions: ReadonlySet<string>) => methods['tools/list']({}, { ...admission(), permissions }, {}),
  }
}

test('a repeated query reads nothing, and sends the same bytes without a copy', async () => {
  const { asked, reads, call } = start()
  const first = await call({ by: 'a', at: '2026-11-20' })
  const again = await call({ at: '2026-11-20', by: 'a', limit: 10 }, admission(1, NOON + 500))
  assert.equal(reads(), 1)
  const large = (parts: readonly unknown[]) => parts.filter((part) => Buffer.isBuffer(part) && part.length > 10_000)
  assert.equal(large(first).length, 2)
  for (const [i, part] of large(again).entries()) assert.equal(part, large(first)[i])
  assert.match(String(again[0]), /2026-11-15T12:00:00\.500Z/)
  assert.deepEqual(asked, ['2026-11-20T00:00:00.000Z'])
})

test('another query, a changed workspace and an expired result are read again', async () => {
  const { reads, call } = start()
  await call({ by: 'a' })
  await call({ by: 'b' })
  await call({ by: 'a', fields: [] })
  await call({ by: 'a' }, admission(2))
  await call({ by: 'a' }, admission(2, NOON + 1000))
  assert.equal(reads(), 5)
})

test('a rejected query is not cached', async () => {
  const { reads, call } = start()
  const refused = async () => String((await call({ cursor: 'x' }))[0])
  assert.match(await refused(), /"isError":true/)
  assert.match(await refused(), /"isError":true/)
  assert.equal(reads(), 0)
})

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

test('the lists of tools, and the permissions that they are cached by, are bounded', async () => {
  const { list } = start()
  const common = permissionSet('notes:read')
  const first = list(common)
  const cached = Array.from({ length: 5000 }, (_, n) => {
    const permissions = permissionSet(`notes:read,n${n}:read`)
    assert.equal(permissionSet(`notes:read,n${n}:read`), permissions)
    assert.equal(list(permissions), list(permissions))
    assert.equal(list(common), first, 'one in use stays')
    return { permissions: new WeakRef(permissions), list: new WeakRef(list(permissions)) }
  })
  // In their own turn, objects are not collected.
  await setImmediate()
  collectGarbage()
  assert.ok(cached.filter(({ permissions }) => permissions.deref() !== undefined).length <= 2000)
  assert.ok(cached.filter(({ list }) => list.deref() !== undefined).length <= 200)
})
