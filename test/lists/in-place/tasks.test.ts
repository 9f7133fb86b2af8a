import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { tableDatabases } from '../../../src/database/in-place/open.ts'
import { parseDatabaseUrl } from '../../../src/database/open.ts'
import { loadDeclared, withDeclared } from '../../../src/resources/declared/load.ts'
import { resources as builtIn } from '../../../src/resources/index.ts'
import { onEach } from '../../support/database.ts'
import { NOON, startService } from '../../support/service.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { shopDatabase } from './shop.ts'

const rows = { database: 'APP_DATABASE_URL', table: 'todos', workspaceColumn: 'team', columns: { details: 'body' } }

const TODOS = `CREATE TABLE todos (id integer PRIMARY KEY, team text, title text, body text, due_at INSTANT, book_key text, assignee_name text,
  assignee_email text, source_session_id text, source_title text, source_summary text, source_kind text`

onEach(
  'the built-in tasks are read in place, with their state and snooze, in the order of creation',
  async (t, engine) => {
    const instant = engine === 'sqlite' ? 'text' : 'timestamptz'
    const { url, run } = await shopDatabase(t, engine)
    await run(
      `${TODOS}, status text NOT NULL, snoozed_until INSTANT, created_at INSTANT NOT NULL)`.replaceAll(
        'INSTANT',
        instant,
      ),
    )
    const folder = temporaryFolder(t)
    writeFileSync(join(folder, 'tasks.json'), JSON.stringify({ name: 'tasks', rows }))
    const open = tableDatabases(() => parseDatabaseUrl(url))
    const service = await startService(t, { resources: withDeclared(folder, builtIn, open) })
    const add = (id: number, more: Record<string, string> = {}) => {
      const todo = {
        team: 'acme',
        title: `Task ${id}`,
        status: 'open',
        created_at: `2026-11-0${10 - id}T00:00:00Z`,
        ...more,
      }
      return run(
        `INSERT INTO todos (id, ${Object.keys(todo)}) VALUES (${id}, ${Object.values(todo).map((value) => `'${value}'`)})`,
      )
    }
    await add(1)
    await add(2, { due_at: '2026-11-20T09:00:00Z', body: 'Details', assignee_email: 'ann@x.example' })
    await add(3)
    await add(4, { status: 'completed' })
    await add(5, { snoozed_until: '2026-11-15T12:00:00.001Z' })
    await add(6, { snoozed_until: '2026-11-15T12:00:00Z' })
    await add(7, { team: 'other' })
    const titles = async (key = service.key) => {
      const response = await service.get('/tasks', { authorization: `Bearer ${key}` })
      const { tasks } = (await response.json()) as { tasks: Record<string, unknown>[] }
      return tasks.map(({ title }) => title)
    }
    assert.deepEqual(await titles(), ['Task 2', 'Task 6', 'Task 3', 'Task 1'])
    const { token } = await service.createKey({ only: { tasks: { assigneeEmail: ['ann@x.example', 'bo@x.example'] } } })
    assert.deepEqual(await titles(token), ['Task 2'], 'a key that is limited to some rows')
    service.time.now = NOON + 1
    assert.deepEqual(await titles(), ['Task 2', 'Task 6', 'Task 5', 'Task 3', 'Task 1'])
    const call = { name: 'list_tasks', arguments: { due: 'this_week', assignee: 'ann@x.example' } }
    service.time.now = Date.parse('2026-11-19T12:00:00Z')
    const response = await service.rpc({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: call })
    assert.match(await response.text(), /\\"total\\":1,.*Details/)
  },
)

onEach(
  'without a state, a snooze or a time of creation, all tasks are current, in the order of their ids',
  async (t, engine) => {
    const { url, run } = await shopDatabase(t, engine)
    await run(`${TODOS})`.replaceAll('INSTANT', engine === 'sqlite' ? 'text' : 'timestamptz'))
    const folder = temporaryFolder(t)
    writeFileSync(join(folder, 'tasks.json'), JSON.stringify({ name: 'tasks', rows }))
    const open = tableDatabases(() => parseDatabaseUrl(url))
    const service = await startService(t, { resources: withDeclared(folder, builtIn, open) })
    await run("INSERT INTO todos (id, team, title) VALUES (10, 'acme', 'Ten'), (9, 'acme', 'Nine')")
    const { tasks } = (await (await service.get('/tasks')).json()) as { tasks: Record<string, unknown>[] }
    assert.deepEqual(
      tasks.map(({ id }) => id),
      ['9', '10'],
    )
  },
)

test('only a built-in list can have rows without fields', (t) => {
  const folder = temporaryFolder(t)
  const refused = (name: string, content: object, message: RegExp) => {
    writeFileSync(join(folder, 'list.json'), JSON.stringify({ name, ...content }))
    assert.throws(() => loadDeclared(folder, builtIn), message)
  }
  refused('orders', { rows }, /fields is required/)
  refused('workspace', { rows }, /fields is required/)
  refused('tasks', { rows, limit: 5 }, /limit is not a known field/)
  refused(
    'tasks',
    { rows: { ...rows, columns: { detail: 'body' } } },
    /rows\.columns\.detail .* did you mean details\?/,
  )
  writeFileSync(join(folder, 'other.json'), JSON.stringify({ name: 'tasks', rows }))
  refused('tasks', { rows }, /name is in another file too; keep one of them/)
  refused('tasks', { rows: { ...rows, workspace: 'acme' } }, /rows\.workspaceColumn or workspace/)
})
