import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import fc from 'fast-check'
import { NOON, type Service, startService } from '../support/service.ts'

const MINUTE_MS = 60_000

/** A moment near noon; few enough that ties and wakings at the very moment happen. */
const minutes = fc.integer({ min: -5, max: 5 })
const instant = minutes.map((offset) => new Date(NOON + offset * MINUTE_MS).toISOString())
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

type Step =
  | { kind: 'import'; tasks: Imported[] }
  | { kind: 'snooze'; id: string; until: string | null }
  | { kind: 'complete'; id: string }
  | { kind: 'delete'; id: string }
  | { kind: 'clock'; minutes: number }
  | { kind: 'rename'; title: string }

interface Imported {
  id: string
  title: string
  details: string | null
  dueAt: string | null
  bookKey: string | null
  assigneeEmail: string | null
  status: string
  snoozedUntil: string | null
}

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ kind: fc.constant('import' as const), tasks: fc.array(imported, { maxLength: 6 }) }),
  fc.record({ kind: fc.constant('snooze' as const), id, until: fc.option(instant) }),
  fc.record({ kind: fc.constant('complete' as const), id }),
  fc.record({ kind: fc.constant('delete' as const), id }),
  fc.record({ kind: fc.constant('clock' as const), minutes }),
  fc.record({ kind: fc.constant('rename' as const), title: text }),
)

/** Somebody else's connection: what it writes must be seen without being told. */
async function take(step: Step, service: Service, elsewhere: DatabaseSync): Promise<void> {
  switch (step.kind) {
    case 'import':
      return service.addTasks(step.tasks)
    case 'snooze':
      elsewhere.prepare('UPDATE tasks SET snoozed_until = ? WHERE id = ?').run(step.until, step.id)
      return
    case 'complete':
      elsewhere.prepare(`UPDATE tasks SET status = 'completed' WHERE id = ?`).run(step.id)
      return
    case 'delete':
      elsewhere.prepare('DELETE FROM tasks WHERE id = ?').run(step.id)
      return
    case 'rename':
      elsewhere.prepare('UPDATE workspaces SET name = ?').run(step.title)
      return
    case 'clock':
      service.time.now = NOON + step.minutes * MINUTE_MS
  }
}

const FIELDS =
  'id, title, details, due_at AS dueAt, book_key AS bookKey, assignee_name AS assigneeName, ' +
  'assignee_email AS assigneeEmail, source_session_id AS sourceSessionId, source_title AS sourceTitle, ' +
  'source_summary AS sourceSummary, source_kind AS sourceKind'

/** The rules of the contract in the plainest way: read everything, judge each task, sort. */
function plainAnswer(elsewhere: DatabaseSync, now: number): unknown[] {
  const rows = elsewhere.prepare(`SELECT ${FIELDS}, status, snoozed_until, seq FROM tasks ORDER BY seq`).all() as {
    [field: string]: string | null
  }[]
  const isCurrent = (row: (typeof rows)[number]) =>
    row.status === 'open' && (row.snoozed_until == null || Date.parse(row.snoozed_until) <= now)
  const due = (row: (typeof rows)[number]) => (row.dueAt == null ? Number.POSITIVE_INFINITY : Date.parse(row.dueAt))
  return rows
    .filter(isCurrent)
    .sort((a, b) => (due(a) === due(b) ? 0 : due(a) - due(b)))
    .slice(0, 100)
    .map(({ status: _, snoozed_until: __, seq: ___, ...fields }) => ({ ...fields }))
}

test('whatever happens to tasks and clock, each answer equals a plain query without any cache', async (t) => {
  const service = await startService(t, { env: { RATE_LIMIT: '1000000;w=60' } })
  const elsewhere = new DatabaseSync(service.databaseUrl.replace('sqlite:', ''))
  t.after(() => elsewhere.close())

  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
      elsewhere.exec('DELETE FROM tasks')
      service.time.now = NOON
      for (const one of steps) {
        await take(one, service, elsewhere)
        const expected = plainAnswer(elsewhere, service.time.now)
        const rest = await service.get('/tasks')
        const body = await rest.text()
        assert.deepEqual(JSON.parse(body), { tasks: expected })

        const again = await service.get('/tasks', { 'if-none-match': rest.headers.get('etag') ?? '' })
        assert.equal(again.status, 304)

        const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'list_tasks' } }
        const rpc = (await (await service.rpc(call)).json()) as { result: { content: [{ text: string }] } }
        assert.equal(rpc.result.content[0].text, body)

        const { name } = elsewhere.prepare('SELECT name FROM workspaces').get() as { name: string }
        const { workspace } = (await (await service.get('/workspace')).json()) as { workspace: { name: string } }
        assert.equal(workspace.name, name)
      }
    }),
    { numRuns: 60 },
  )
})
