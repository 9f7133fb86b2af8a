import assert from 'node:assert/strict'
import fc from 'fast-check'
import { deleteList } from '../../../src/lists/stored/delete-list.ts'
import { readerOf } from '../../../src/lists/stored/rows.ts'
import { currentTasks } from '../../../src/resources/tasks/list.ts'
import { connectElsewhere, engines, testWithPostgres as test } from '../../support/database.ts'
import { readPages } from '../../support/pages.ts'
import { at, NOON, type Service, startService } from '../../support/service.ts'
import { servedStore } from '../../support/stores.ts'
import { rowsOf, storedRows } from '../../support/written-lists.ts'

const MINUTE_MS = 60_000

/** Any text that can be stored: every plane of Unicode, control characters, quotes; no NUL, no half surrogates. */
const text = fc
  .oneof(
    fc.string({ unit: 'binary' }),
    fc.string({ unit: 'grapheme' }),
    fc.constantFrom('', ' ', '\u0001\u001f\u007f\u0085', '\u2028\u2029', '"\\/\b\f\n\r\t', 'İıſK', 'ﬀ', '👩🏽‍🚀'),
  )
  .filter((value) => !value.includes('\0'))

const millisecond = fc.integer({ min: -2000, max: 2000 })
const instant = fc.oneof(
  fc.integer({ min: -5, max: 5 }).map(at),
  millisecond.map((ms) => new Date(NOON + ms).toISOString()),
  fc.constantFrom('0001-01-01T00:00:00.000Z', '9999-12-31T23:59:59.999Z', '1969-12-31T23:59:59.999Z'),
)
const id = fc.oneof(
  fc.integer({ min: 1, max: 9 }).map((n) => `t${n}`),
  fc.constantFrom('T1', 't1 ', 'é', 'e\u0301', 'ß', 'SS'),
)
const stored = ['Ana@x.example', 'ANA@X.EXAMPLE', 'ina@x.example', 'bo@x.example']
/** A text that no task can have may still be requested. */
const asked = fc.constantFrom(...stored, 'İna@x.example')

const task = fc.record({
  id,
  title: text.filter((value) => value !== ''),
  details: fc.option(text),
  dueAt: fc.option(instant),
  bookKey: fc.option(fc.constantFrom('a', 'A', 'á', '')),
  assigneeName: fc.option(text),
  assigneeEmail: fc.option(fc.constantFrom(...stored)),
  sourceSummary: fc.option(text),
  status: fc.constantFrom('open', 'open', 'open', 'completed', 'cancelled'),
  snoozedUntil: fc.option(instant),
})

/** The engines' pages share no seq, so they are compared by their contents. */
const paging = fc.record({
  filters: fc.record(
    {
      bookKey: fc.constantFrom('a', 'A', 'á', '', 'x'),
      assigneeEmail: asked,
      dueBefore: instant,
      dueAfter: instant,
    },
    { requiredKeys: [] },
  ) as fc.Arbitrary<Record<string, string>>,
  fields: fc.option(fc.subarray(['details', 'dueAt', 'assigneeEmail', 'sourceSummary'])),
  limits: fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 1, maxLength: 3 }),
})

const args = fc.record(
  {
    limit: fc.integer({ min: 0, max: 101 }),
    bookKey: fc.constantFrom('a', 'A', 'á', '', 'x'),
    assigneeEmail: asked,
    dueBefore: fc.oneof(instant, fc.constantFrom('2026-11-15T13:00:00+01:00', 'soon')),
    dueAfter: fc.oneof(instant, fc.constant('2026-11-15T13:00:00+01:00')),
  },
  { requiredKeys: [] },
)

/** Ended keys stay ended, but their rows can be recreated in their first state. */
const NEW_KEYS = 'BEGIN; DELETE FROM api_keys; INSERT INTO api_keys SELECT * FROM kept; COMMIT'

/** Whoever changes a workspace moves its revision. */
const MOVED = 'UPDATE revisions SET number = number + 1'

const operation = fc.oneof(
  fc.record({ kind: fc.constant('import' as const), tasks: fc.array(task, { maxLength: 8 }) }),
  fc.record({ kind: fc.constant('change' as const), to: fc.constantFrom('completed', 'awake', 'gone'), id }),
  fc.record({
    kind: fc.constant('sql' as const),
    sql: fc.constantFrom(
      `UPDATE workspaces SET name = 'Żółć', timezone = NULL; ${MOVED}`,
      `UPDATE workspaces SET archived_at = '2026-11-15T00:00:00.000Z'; ${MOVED}`,
      `UPDATE workspaces SET archived_at = NULL; ${MOVED}`,
      `UPDATE api_keys SET permissions = 'workspace:read'`,
      `UPDATE api_keys SET permissions = 'tasks:read'`,
      `UPDATE api_keys SET permissions = 'workspace:read,tasks:read'`,
      `UPDATE api_keys SET rate_limit = 1000, rate_window_seconds = 30`,
      `UPDATE api_keys SET rate_limit = NULL, rate_window_seconds = NULL`,
      `UPDATE api_keys SET revoked_at = '2026-11-15T00:00:00.000Z'`,
      `${NEW_KEYS}; UPDATE api_keys SET expires_at = '2026-11-15T12:01:00.000Z'`,
      NEW_KEYS,
    ),
  }),
  fc.record({
    kind: fc.constant('clock' as const),
    ms: fc.oneof(
      millisecond,
      fc.integer({ min: 0, max: 5 }).map((n) => n * MINUTE_MS),
    ),
  }),
  fc.record({ kind: fc.constant('call' as const), args }),
  fc.record({ kind: fc.constant('pages' as const), paging }),
)

/** Everything that a client can see, except what is random by design. */
async function seen(response: Response): Promise<unknown> {
  const headers = Object.fromEntries(response.headers)
  const body = (await response.text())
    .replace(/ws_[0-9a-f]{18}/g, 'ws_')
    .replace(/urn:uuid:[0-9a-f-]{36}/g, 'urn:uuid:')
  for (const name of ['date', 'x-request-id']) delete headers[name]
  if (body.includes('ws_')) delete headers.etag
  return { status: response.status, headers, body }
}

test('both engines give the same responses, byte for byte, whatever is done to them', async (t) => {
  const pair = await Promise.all(
    engines.map(async (engine) => {
      const service: Service = await startService(t, { engine, env: { RATE_LIMIT: '100000;w=60' } })
      const elsewhere = await connectElsewhere(service.databaseUrl, t)
      await elsewhere.run('CREATE TEMP TABLE kept AS SELECT * FROM api_keys')
      const store = await servedStore(t, service.databaseUrl)
      return { service, store, elsewhere }
    }),
  )
  const both = async (name: string, work: (one: (typeof pair)[number]) => Promise<unknown>) => {
    const [sqlite, postgres] = await Promise.all(pair.map(work))
    assert.deepEqual(postgres, sqlite, name)
  }
  let round = 0

  await fc.assert(
    fc.asyncProperty(fc.array(operation, { maxLength: 12 }), async (operations) => {
      round++
      await both('reset', async ({ service, elsewhere }) => {
        await service.operator.transaction((tx) => deleteList(tx, 'tasks'))
        await elsewhere.run(
          `UPDATE workspaces SET name = 'Acme', timezone = 'Europe/London', archived_at = NULL; ${MOVED}`,
        )
        await elsewhere.run(NEW_KEYS)
        // Far enough that every window of the previous round has ended.
        service.time.now = NOON + round * 1440 * MINUTE_MS
      })
      for (const one of operations) {
        await both(JSON.stringify(one), async ({ service, store, elsewhere }) => {
          if (one.kind === 'import') await service.addTasks(one.tasks)
          else if (one.kind === 'sql') await elsewhere.run(one.sql)
          else if (one.kind === 'change') {
            const { put, remove } = rowsOf(service.operator, currentTasks, service.workspaceId)
            const stored = (await storedRows(elsewhere)).filter((row) => row.id === one.id)
            const change = one.to === 'completed' ? { status: 'completed' } : { snoozedUntil: null }
            if (one.to === 'gone') await remove([one.id])
            else await put(stored.map((row) => ({ ...row, ...change })))
          } else if (one.kind === 'clock') service.time.now += Math.abs(one.ms)
          else if (one.kind === 'pages') {
            const { fields, ...others } = one.paging
            const [workspace] = await elsewhere.all<{ id: string }>('SELECT id FROM workspaces')
            const scope = () => ({ workspaceId: workspace?.id ?? '', now: service.time.now })
            return readPages(readerOf(store, currentTasks), scope, fields === null ? others : { ...others, fields })
          } else {
            const params = { name: 'list_tasks', arguments: one.args }
            return seen(await service.rpc({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }))
          }
        })
        await both('tasks', async ({ service }) => seen(await service.get('/tasks')))
        await both('workspace', async ({ service }) => seen(await service.get('/workspace')))
        await both('tools', async ({ service }) =>
          seen(await service.rpc({ jsonrpc: '2.0', id: 1, method: 'tools/list' })),
        )
      }
    }),
    { numRuns: 30 },
  )
})
