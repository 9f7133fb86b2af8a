import assert from 'node:assert/strict'
import { test } from 'node:test'
import { examineRows } from '../../src/cli/commands/doctor/rows.ts'
import { listsOf } from '../../src/lists/definition.ts'
import { resources } from '../../src/resources/index.ts'
import { connectElsewhere } from '../support/database.ts'
import { migratedDatabaseUrl } from '../support/migrated-database.ts'
import { startOperator } from '../support/operator.ts'

const change = (before: string, after: string) => `body = replace(body, '${before}', '${after}')`
const created = (at: string) => `rest = '{"status":"open","createdAt":"${at}"}'`

test('rows that no longer fit the definition of their list are named, the first of many, in a bounded line', async (t) => {
  const url = await migratedDatabaseUrl(t)
  const { store, addTasks } = await startOperator(t, url)
  const ids = ['a', 'b', 'c', 'd', 'e', 'f', 'x'.repeat(200)]
  await addTasks(ids.map((id) => ({ id, title: 'Task' })))
  const elsewhere = await connectElsewhere(url)
  t.after(() => elsewhere.close())
  const examine = async () => examineRows(store.dump(), listsOf(resources))
  assert.equal((await examine()).ok, true)
  for (const [id, assignment, fault] of [
    ['a', change('"title":"Task"', '"title":""'), /: title must not be empty/],
    ['b', change('"assigneeEmail":null', '"assigneeEmail":"nobody"'), /: assigneeEmail must be an email address/],
    ['c', change('"dueAt":null', '"dueAt":"2026-99-99T00:00:00.000Z"'), /: dueAt must be a valid date and time/],
    ['d', created('2026-11-15T12:00:00Z'), /: createdAt is not an instant/],
    ['e', change('"id":"e"', '"id":"f"'), /: has another id in its JSON/],
  ] as const) {
    await elsewhere.run(`UPDATE list_items SET ${assignment} WHERE id = '${id}'`)
    const { ok, detail, hint } = await examine()
    assert.deepEqual([ok, hint], [false, 'correct or delete them'])
    assert.ok(detail.startsWith(`tasks "${id}": `), detail)
    assert.match(detail, fault)
    await elsewhere.run(`DELETE FROM list_items WHERE id = '${id}'`)
  }
  await addTasks(['g', 'h', 'i'].map((id) => ({ id, title: 'Task' })))
  await elsewhere.run("UPDATE list_items SET body = 'no JSON'")
  const { detail } = await examine()
  assert.match(detail, / and 2 more$/)
  assert.ok(detail.length < 500)
})
