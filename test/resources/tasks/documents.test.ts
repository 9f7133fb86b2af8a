// Run once: it tests SQLite’s own plans and documents.
import assert from 'node:assert/strict'
import { join } from 'node:path'
import test from 'node:test'
import { connectForWriting } from '../../../src/database/sqlite/connect.ts'
import { firstRowsSql } from '../../../src/database/sqlite/lists/list.ts'
import { tablesOf } from '../../../src/database/table.ts'
import { resources } from '../../../src/resources/index.ts'
import { taskList } from '../../../src/resources/tasks/current-tasks.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

test('tasks are read from the index as they are returned, and built at the read only if it has them in another form', (t) => {
  const db = connectForWriting(join(temporaryFolder(t), 'documents.db'), tablesOf(resources), { create: true })
  t.after(() => db.close())
  const makesObjects = (sql: string) =>
    db
      .prepare(`EXPLAIN ${sql}`)
      .all()
      .some(({ p4 }) => String(p4).startsWith('json_object'))
  const sql = firstRowsSql(taskList, false)
  assert.equal(makesObjects(sql), false)
  assert.equal(makesObjects(sql.replace("'title',", "'name',")), true)
})
