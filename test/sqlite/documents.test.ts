import assert from 'node:assert/strict'
import { join } from 'node:path'
import test from 'node:test'
import { Task } from '../../src/resources/tasks.ts'
import { connectForWriting } from '../../src/storage/sqlite/connect.ts'
import { currentTasksSql } from '../../src/storage/sqlite/current-tasks.ts'
import { temporaryFolder } from '../support/service.ts'

const fields = Object.keys(Task.properties)

test('a stored document holds the fields of a task as they are answered, and follows every change', (t) => {
  const db = connectForWriting(join(temporaryFolder(t), 'documents.db'), { create: true })
  t.after(() => db.close())
  const document = () => JSON.parse(String(db.prepare('SELECT document FROM tasks').get()?.document))
  db.exec(`INSERT INTO tasks (workspace_id, id, title, due_at, created_at)
           VALUES ('w', 'a', 'Zoë “said” 東京 \\ "', '2026-11-20T09:00:00.000Z', '2026-11-15T09:00:00.000Z')`)
  assert.deepEqual(Object.keys(document()), fields)
  assert.deepEqual(
    [document().title, document().dueAt, document().details],
    ['Zoë “said” 東京 \\ "', '2026-11-20T09:00:00.000Z', null],
  )
  db.exec(`UPDATE tasks SET details = 'now', woken = 0`)
  assert.equal(document().details, 'now')
})

test('what is answered is read from documents; other fields could still be asked for', () => {
  const limit = 100
  assert.match(currentTasksSql(false, { fields, limit }), /SELECT document AS/)
  assert.doesNotMatch(currentTasksSql(false, { fields: fields.toReversed(), limit }), /document/)
})
