/**
 * What a script would do without Vitrine's commands: insert the lines of a file in one transaction into one table with one index, and
 * check nothing. `by-hand.ts DATABASE_URL FILE`.
 */
import { createReadStream } from 'node:fs'
import { createInterface } from 'node:readline'
import { DatabaseSync } from 'node:sqlite'
import pg from 'pg'

const TABLE = 'CREATE TABLE by_hand (id TEXT PRIMARY KEY, due_at TEXT, body TEXT)'
/** Of one statement, on PostgreSQL, where each one waits for the server. */
const ROWS_AT_ONCE = 1000

const [url = '', file = ''] = process.argv.slice(2)

async function* rows(): AsyncGenerator<[id: string, dueAt: string, line: string]> {
  for await (const line of createInterface({ input: createReadStream(file) })) {
    const { id, dueAt } = JSON.parse(line)
    yield [id, dueAt, line]
  }
}

async function insertIntoSqlite(path: string): Promise<void> {
  const db = new DatabaseSync(path)
  db.exec(`PRAGMA synchronous = FULL; BEGIN; ${TABLE}`)
  const insert = db.prepare('INSERT INTO by_hand VALUES (?, ?, ?)')
  for await (const row of rows()) insert.run(...row)
  db.exec('COMMIT')
  db.close()
}

async function insertIntoPostgres(): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query(`BEGIN; ${TABLE}`)
  const columns: [string[], string[], string[]] = [[], [], []]
  const insert = async () => {
    await client.query('INSERT INTO by_hand SELECT * FROM unnest($1::text[], $2::text[], $3::text[])', columns)
    for (const values of columns) values.length = 0
  }
  for await (const row of rows()) {
    for (const [i, value] of row.entries()) columns[i]?.push(value)
    if (columns[0].length === ROWS_AT_ONCE) await insert()
  }
  await insert()
  await client.query('COMMIT')
  await client.end()
}

await (url.startsWith('sqlite:') ? insertIntoSqlite(url.replace('sqlite:', '')) : insertIntoPostgres())
