// Run once: it is about SQLite’s own plans and documents.
import assert from 'node:assert/strict'
import { join } from 'node:path'
import test from 'node:test'
import type { Range } from '../../../src/database/keyset.ts'
import { connectForWriting } from '../../../src/database/sqlite/connect.ts'
import { tablesOf } from '../../../src/database/table.ts'
import { resources } from '../../../src/resources/index.ts'
import { currentTasksSql } from '../../../src/resources/tasks/sqlite.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

test('tasks are read as they are answered from the index, and made at the read only if other fields are asked for', (t) => {
  const db = connectForWriting(join(temporaryFolder(t), 'documents.db'), tablesOf(resources), { create: true })
  t.after(() => db.close())
  const makesObjects = (sql: string) =>
    db
      .prepare(`EXPLAIN ${sql}`)
      .all()
      .some(({ p4 }) => String(p4).startsWith('json_object'))
  for (const range of [[], ['equal', 'greater'], ['greater'], ['null'], ['null', 'greater']] as Range[]) {
    const sql = currentTasksSql({ filters: {} }, false).rows(range, 'LIMIT 100')
    assert.equal(makesObjects(sql), false, range.join())
    assert.equal(makesObjects(sql.replace("'title',", "'name',")), true)
  }
})
