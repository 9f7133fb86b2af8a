import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { connectForWriting } from '../../../src/database/sqlite/connect.ts'
import { SqliteStaging } from '../../../src/database/sqlite/staging.ts'
import { tablesOf } from '../../../src/database/table.ts'
import { resources } from '../../../src/resources/index.ts'
import { table } from '../../../src/resources/tasks/current-tasks.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

test('a disk that fills up while rows are compared is reported, whatever SQLite does with the transaction', async (t) => {
  const path = join(temporaryFolder(t), 'vitrine.db')
  const db = connectForWriting(path, tablesOf(resources), { create: true })
  t.after(() => db.close())
  const staging = new SqliteStaging(db, path, table)
  await staging.add(Array.from({ length: 2000 }, (_, i) => ({ id: String(i), title: 'x'.repeat(100) })))
  const scope = { workspaceId: 'none', source: 'tracker' }
  const pages = Number(db.prepare('PRAGMA temp.page_count').get()?.page_count)
  // Room for the index of the ids, but not for a list of two thousand differences.
  db.exec(`PRAGMA temp.max_page_count = ${pages + 12}`)
  await assert.rejects(staging.compare(scope), /the temporary files of .*vitrine\.db: the disk is full/)
  assert.equal(db.isTransaction, false)
})
