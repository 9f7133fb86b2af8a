import assert from 'node:assert/strict'
import { join } from 'node:path'
import test from 'node:test'
import { connectForWriting } from '../../../src/database/sqlite/connect.ts'
import { currentTasksSql } from '../../../src/database/sqlite/current-tasks.ts'
import { Task } from '../../../src/resources/tasks/contract.ts'
import { temporaryFolder } from '../../support/database.ts'

const fields = Object.keys(Task.properties)

test('tasks are read as they are answered from the index, and made at the read only if other fields are asked for', (t) => {
  const db = connectForWriting(join(temporaryFolder(t), 'documents.db'), { create: true })
  t.after(() => db.close())
  const makesObjects = (asked: string[]) =>
    db
      .prepare(`EXPLAIN ${currentTasksSql(false, { fields: asked, limit: 100 })}`)
      .all()
      .some(({ p4 }) => String(p4).startsWith('json_object'))
  assert.equal(makesObjects(fields), false)
  assert.equal(makesObjects(fields.toReversed()), true)
})
