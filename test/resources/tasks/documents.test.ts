import assert from 'node:assert/strict'
import { join } from 'node:path'
import test from 'node:test'
import { connectForWriting } from '../../../src/database/sqlite/connect.ts'
import { tablesOf } from '../../../src/database/table.ts'
import { resources } from '../../../src/resources/index.ts'
import { currentTasksSql } from '../../../src/resources/tasks/sqlite.ts'
import { temporaryFolder } from '../../support/database.ts'

test('tasks are read as they are answered from the index, and made at the read only if other fields are asked for', (t) => {
  const db = connectForWriting(join(temporaryFolder(t), 'documents.db'), tablesOf(resources), { create: true })
  t.after(() => db.close())
  const makesObjects = (sql: string) =>
    db
      .prepare(`EXPLAIN ${sql}`)
      .all()
      .some(({ p4 }) => String(p4).startsWith('json_object'))
  const sql = currentTasksSql(false, { filters: {} }).rows([], 'LIMIT 100')
  assert.equal(makesObjects(sql), false)
  assert.equal(makesObjects(sql.replace("'title',", "'name',")), true)
})
