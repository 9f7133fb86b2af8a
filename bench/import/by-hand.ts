/**
 * What a script would do without Vitrine's commands: insert each line of a file with one statement, in one transaction, into one table
 * with one index. Syncing a snapshot, it would delete all tasks first: `by-hand.ts DATABASE FILE [--replace]`.
 */
import { createReadStream } from 'node:fs'
import { createInterface } from 'node:readline'
import { DatabaseSync } from 'node:sqlite'

const [database = '', file = '', replace] = process.argv.slice(2)
const db = new DatabaseSync(database)
db.exec(`PRAGMA synchronous = FULL; BEGIN;
  CREATE TABLE IF NOT EXISTS by_hand (id TEXT PRIMARY KEY, due_at TEXT, body TEXT)`)
if (replace !== undefined) db.exec('DELETE FROM by_hand')
const insert = db.prepare('INSERT INTO by_hand VALUES (?, ?, ?)')
for await (const line of createInterface({ input: createReadStream(file) })) {
  const { id, dueAt } = JSON.parse(line)
  insert.run(id, dueAt, line)
}
db.exec('COMMIT')
db.close()
