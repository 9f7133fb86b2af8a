/**
 * What a script would do without Vitrine's commands: insert each line of a file with one statement, in one transaction. Syncing a
 * snapshot, it would delete all tasks first: `by-hand.ts DATABASE FILE [--replace]`.
 */
import { createReadStream } from 'node:fs'
import { createInterface } from 'node:readline'
import { DatabaseSync } from 'node:sqlite'
import { importedColumns } from '../../src/database/table.ts'
import { table } from '../../src/resources/tasks/current-tasks.ts'

const [database = '', file = '', replace] = process.argv.slice(2)
const db = new DatabaseSync(database)
db.exec('PRAGMA synchronous = FULL; BEGIN')
if (replace !== undefined) db.exec('DELETE FROM tasks')
const columns = importedColumns(table)
const insert = db.prepare(
  `INSERT INTO tasks (workspace_id, ${columns.map(({ name }) => name).join(', ')})
   SELECT id${', ?'.repeat(columns.length)} FROM workspaces`,
)
for await (const line of createInterface({ input: createReadStream(file) })) {
  const task = JSON.parse(line)
  insert.run(
    ...columns.map(({ field, kind }) => (kind === 'instant' ? new Date(task[field]).toISOString() : task[field])),
  )
}
db.exec('COMMIT')
db.close()
