// On both engines: texts are compared by the database.
/** A key that is limited to some rows gets what an unlimited key gets of a workspace that has only those rows. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { Row } from '../../src/lists/column.ts'
import { type List, listsOf } from '../../src/lists/definition.ts'
import type { OnlyRows } from '../../src/lists/only.ts'
import { emptyTask } from '../../src/resources/tasks/columns.ts'
import { resources } from '../resources/declared/orders.ts'
import { createWorkspace } from '../support/changes.ts'
import { runs } from '../support/database.ts'
import { at, startService } from '../support/service.ts'
import { callTool, type EndpointName, endpoints } from '../support/tool-calls.ts'
import { rowsOf } from '../support/written-lists.ts'

const MODERN = '2026-07-28 on /v2/mcp'

const [tasks, orders] = listsOf(resources) as [List, List]

const BOOKS = ['linen', 'Linen', 'wool, blue', 'linens'] as const
const ADDRESSES = ['ana@x.example', 'Ana@x.example', 'bo@x.example'] as const
const SUPPLIERS = ['Alvés', 'Boro', 'Cy'] as const
const STATUSES = ['draft', 'sent', 'closed'] as const
const oneOf = <T>(values: readonly T[]) => fc.constantFrom(...values)
const orNull = <T>(values: readonly T[]) => fc.constantFrom(null, ...values)

const task = fc.record({
  title: oneOf(['Order linen', 'Count the wool']),
  dueAt: orNull([at(-60), at(0), at(90), at(2000)]),
  bookKey: orNull(BOOKS),
  assigneeName: orNull(['Ana', 'Bo']),
  assigneeEmail: orNull(ADDRESSES),
  sourceSessionId: orNull(['s1', 's2']),
  status: oneOf(['open', 'open', 'open', 'completed']),
  snoozedUntil: orNull([at(-1), at(30)]),
})
const order = fc.record({ supplier: oneOf(SUPPLIERS), status: oneOf(STATUSES), deliveryAt: orNull([at(0), at(60)]) })

const some = <T>(values: readonly T[]) => fc.uniqueArray(oneOf(values), { minLength: 1, maxLength: 2 })
const limit = fc.record(
  {
    tasks: fc.oneof(
      fc.record({ bookKey: some(BOOKS) }),
      fc.record({ assigneeEmail: some(['ana@x.example', 'bo@x.example']) }),
      fc.record({ sourceSessionId: some(['s1', 's2', 's3']) }),
    ),
    orders: fc.oneof(fc.record({ supplier: some(SUPPLIERS) }), fc.record({ status: some(STATUSES) })),
  },
  { requiredKeys: ['tasks'] },
) as unknown as fc.Arbitrary<OnlyRows>

const question = fc.record(
  {
    due: oneOf(['overdue', 'today', 'none'] as const),
    bookKey: oneOf(BOOKS),
    assignee: oneOf(['an', 'bo@x.example']),
    query: oneOf(['linen', 'ana', 'lin']),
    ids: fc.constant(['t0', 't1', 't2', 't3']),
    limit: oneOf([1, 2, 5]),
    countBy: oneOf(['assignee', 'bookKey', 'dueDate'] as const),
  },
  { requiredKeys: [] },
)

/** What a limit means, without looking at how it is applied. */
function isSeen(only: OnlyRows, list: List, row: Row): boolean {
  for (const [field, values] of Object.entries(only[list.name] ?? {})) {
    const value = String(row[field])
    if (row[field] === null || !values.includes(field === 'assigneeEmail' ? value.toLowerCase() : value)) return false
  }
  return true
}

/** Not the time, etags or cursors. */
const comparable = ({ asOf: _, etag: __, nextCursor, ...others }: Record<string, unknown>) => ({
  ...others,
  isLast: nextCursor === null,
})

test('a limited key gets what it would get of a workspace with only its rows', async (t) => {
  const service = await startService(t, { resources, env: { RATE_LIMIT: '1000000;w=60' } })
  const { url, operator, keys } = service
  const details = { name: 'Seen', slug: 'seen', timezone: 'Europe/London', currency: 'GBP', country: 'GB' }
  const seen = await createWorkspace(operator, details, 'test', at(0))
  const permissions = ['workspace:read', 'tasks:read', 'orders:read']
  const newKey = { label: 'x', permissions, quota: null, expiresAt: null }
  const { token: whole } = await keys.create('seen', newKey)
  const { token: limited, key } = await keys.create('acme', newKey)

  const call = async (bearer: string, endpoint: EndpointName, tool: string, args: object) => {
    const { text } = await callTool({ url, key: bearer }, endpoint, tool, args)
    return JSON.parse(text) as Record<string, unknown>
  }
  const read = async (bearer: string, path: string) => {
    const response = await fetch(url + path, { headers: { authorization: `Bearer ${bearer}` } })
    return [response.headers.get('x-total-count'), await response.json()]
  }
  async function comparePages(endpoint: EndpointName, tool: string, args: object) {
    let cursors: object[] = [{}, {}]
    for (let page = 0; ; page++) {
      const pages = await Promise.all(
        [limited, whole].map((bearer, i) => call(bearer, endpoint, tool, { ...args, ...cursors[i] })),
      )
      const [ours, theirs] = pages.map(comparable)
      assert.deepEqual(ours, theirs)
      if (ours?.isLast || pages[0]?.nextCursor === undefined) return page
      cursors = pages.map(({ nextCursor }) => ({ cursor: nextCursor }))
    }
  }

  let before: [List, string[]][] = []
  const histories = fc.record({
    only: limit,
    tasks: fc.array(task, { minLength: 8, maxLength: 30 }),
    orders: fc.array(order, { maxLength: 8 }),
    questions: fc.array(question, { minLength: 4, maxLength: 8 }),
    later: fc.array(fc.record({ n: fc.nat(35), task: fc.option(task) }), { maxLength: 12 }),
  })
  await fc.assert(
    fc.asyncProperty(histories, async (history) => {
      const { only, questions, later } = history
      const rows: [List, Row[]][] = [
        [tasks, history.tasks.map((row, n) => ({ ...emptyTask, ...row, id: `t${n}`, createdAt: at(0) }))],
        [
          orders,
          history.orders.map((row, n) => ({
            ...row,
            id: `o${n}`,
            total: null,
            orderedOn: '2026-11-01',
            urgent: false,
          })),
        ],
      ]
      for (const [workspaceId, isIn] of [
        [service.workspaceId, () => true],
        [seen.id, (list: List, row: Row) => isSeen(only, list, row)],
      ] as const) {
        for (const [list, ids] of before) await rowsOf(operator, list, workspaceId).remove(ids)
        for (const [list, all] of rows)
          await rowsOf(operator, list, workspaceId).put(all.filter((row) => isIn(list, row)))
      }
      before = rows.map(([list, all]) => [list, all.map(({ id }) => String(id))])
      await keys.update(key.id, { only })
      for (const path of ['/tasks', '/orders']) assert.deepEqual(await read(limited, path), await read(whole, path))
      for (const [n, args] of questions.entries()) {
        const endpoint = Object.keys(endpoints)[n % 3] as EndpointName
        const { countBy, limit: size = 3, ...filters } = args
        await comparePages(
          endpoint,
          'list_tasks',
          countBy === undefined ? { ...filters, limit: size } : { ...filters, countBy },
        )
        await comparePages(endpoint, 'list_orders', { supplier: SUPPLIERS[n % 3], limit: 2 })
      }

      const etags = await Promise.all(
        [limited, whole].map(async (bearer) => (await call(bearer, MODERN, 'list_tasks', { limit: 1 })).etag),
      )
      const changed = new Map(later.map((change) => [`t${change.n}`, change.task]))
      for (const [workspaceId, isIn] of [
        [service.workspaceId, () => true],
        [seen.id, (row: Row) => isSeen(only, tasks, row)],
      ] as const) {
        const { put, remove } = rowsOf(operator, tasks, workspaceId)
        const now = [...changed].flatMap(([id, row]) =>
          row === null ? [] : { ...emptyTask, ...row, id, createdAt: at(0) },
        )
        await put(now.filter(isIn))
        await remove([...changed.keys()].filter((id) => !now.some((row) => row.id === id && isIn(row))))
      }
      before.push([tasks, [...changed.keys()]])
      const [ours, theirs] = await Promise.all(
        [limited, whole].map(async (bearer, i) => {
          const { tasks: different, gone, total } = await call(bearer, MODERN, 'list_tasks', { changedSince: etags[i] })
          return { ids: (different as Row[]).map(({ id }) => id).sort(), gone: (gone as string[]).sort(), total }
        }),
      )
      assert.deepEqual(ours, theirs)
    }),
    { numRuns: runs(24) },
  )
})
