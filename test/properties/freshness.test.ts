// On both engines: each engine tells in its own way that something changed.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { Row } from '../../src/lists/column.ts'
import { publishedFields } from '../../src/lists/definition.ts'
import { deleteList } from '../../src/lists/stored/write.ts'
import { currentTasks } from '../../src/resources/tasks/list.ts'
import { updateWorkspace } from '../support/changes.ts'
import { connectElsewhere, type Elsewhere, runs } from '../support/database.ts'
import { at, NOON, type Service, startService } from '../support/service.ts'
import { callTool } from '../support/tool-calls.ts'
import { rowsOf, storedRows } from '../support/written-lists.ts'
import { listedTasks } from './list-model.ts'

const MINUTE_MS = 60_000

/** A moment near noon; few enough that ties and wakings at the very moment happen. */
const minutes = fc.integer({ min: -5, max: 5 })
const instant = minutes.map(at)
const id = fc.integer({ min: 1, max: 12 }).map((n) => `task_${n}`)
const text = fc.constantFrom('Plain', 'Zoë “said”', '東京\n\t\\"', '🎈', '\u007f\u2028')

const imported = fc.record({
  id,
  title: text,
  details: fc.option(text),
  dueAt: fc.option(instant),
  bookKey: fc.option(fc.constantFrom('a', 'b')),
  assigneeEmail: fc.option(fc.constantFrom('Ana@x.example', 'bo@x.example')),
  status: fc.constantFrom('open', 'open', 'open', 'completed', 'cancelled'),
  snoozedUntil: fc.option(instant),
})

/** What a question may be narrowed by; few values, so that questions repeat and their responses are kept. */
const question = fc.record(
  {
    limit: fc.constantFrom(1, 3, 100),
    bookKey: fc.constantFrom('a', 'b', 'none'),
    assigneeEmail: fc.constantFrom('ana@x.example', 'ANA@X.example', 'bo@x.example'),
    dueBefore: fc.oneof(
      instant,
      instant.map((utc) => utc.replace('Z', '+00:00')),
    ),
  },
  { requiredKeys: [] },
)
const questions = fc.array(question, { minLength: 1, maxLength: 2 })
type Arguments = typeof question extends fc.Arbitrary<infer T> ? T : never

const step = fc.oneof(
  fc.record({ kind: fc.constant('import' as const), tasks: fc.array(imported, { maxLength: 6 }) }),
  fc.record({ kind: fc.constant('snooze' as const), id, until: fc.option(instant) }),
  fc.record({ kind: fc.constant('complete' as const), id }),
  fc.record({ kind: fc.constant('delete' as const), id }),
  fc.record({ kind: fc.constant('clock' as const), minutes }),
  fc.record({ kind: fc.constant('rename' as const), title: fc.constantFrom('Plain', 'Zoë “said”', '🎈') }),
)
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never

async function take(step: Step, service: Service, elsewhere: Elsewhere): Promise<void> {
  const { operator, workspaceId } = service
  const tasks = rowsOf(operator, currentTasks, workspaceId)
  const change = async (id: string, changes: Row) =>
    tasks.put((await storedRows(elsewhere)).filter((task) => task.id === id).map((task) => ({ ...task, ...changes })))
  switch (step.kind) {
    case 'import':
      return service.addTasks(step.tasks)
    case 'snooze':
      return change(step.id, { snoozedUntil: step.until })
    case 'complete':
      return change(step.id, { status: 'completed' })
    case 'delete':
      return tasks.remove([step.id])
    case 'rename':
      await updateWorkspace(operator, 'acme', { name: step.title }, 'test')
      return
    case 'clock':
      service.time.now = NOON + step.minutes * MINUTE_MS
  }
}

/** The rules of the contract in the plainest way: read everything, judge each task, sort. */
async function plainResponse(elsewhere: Elsewhere, now: number, asked: Arguments = {}): Promise<unknown[]> {
  const { limit = 100, ...filters } = asked
  if (filters.dueBefore !== undefined) filters.dueBefore = new Date(filters.dueBefore).toISOString()
  return listedTasks(await storedRows(elsewhere), filters, now)
    .slice(0, limit)
    .map((task) => Object.fromEntries(publishedFields(currentTasks.fields).map(({ name }) => [name, task[name]])))
}

/** Without arguments. */
async function listTasks(service: Service): Promise<string> {
  const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'list_tasks' } }
  const { result } = (await (await service.rpc(call)).json()) as { result: { content: [{ text: string }] } }
  return result.content[0].text
}

test('whatever happens to tasks and clock, each response equals a plain query without any cache', async (t) => {
  const service = await startService(t, { env: { RATE_LIMIT: '1000000;w=60' } })
  const elsewhere = await connectElsewhere(service.databaseUrl, t)

  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 12 }), questions, async (steps, asked) => {
      await service.operator.transaction((tx) => deleteList(tx, 'tasks'))
      service.time.now = NOON
      for (const one of steps) {
        await take(one, service, elsewhere)
        const expected = await plainResponse(elsewhere, service.time.now)
        const rest = await service.get('/tasks')
        const body = await rest.text()
        assert.deepEqual(JSON.parse(body), { tasks: expected })

        const again = await service.get('/tasks', { 'if-none-match': rest.headers.get('etag') ?? '' })
        assert.equal(again.status, 304)

        assert.equal(await listTasks(service), body)
        for (const args of asked) {
          const narrowed = await plainResponse(elsewhere, service.time.now, args)
          for (const endpoint of ['2025-03-26 on /mcp', '2026-07-28 on /v2/mcp'] as const) {
            const { text } = await callTool({ url: service.url, key: service.key }, endpoint, 'list_tasks', args)
            assert.deepEqual(JSON.parse(text).tasks, narrowed, JSON.stringify(args))
          }
        }

        const [stored] = await elsewhere.all<{ name: string }>('SELECT name FROM workspaces')
        const { workspace } = (await (await service.get('/workspace')).json()) as { workspace: { name: string } }
        assert.equal(workspace.name, stored?.name)
      }
    }),
    { numRuns: runs(60) },
  )
})
