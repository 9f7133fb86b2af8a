import { readdirSync, readFileSync } from 'node:fs'
import type { QueryResult } from 'pg'
import { StorageError } from '../errors.ts'
import type { SessionPool } from './session-pool.ts'

const folder = new URL('./migrations/', import.meta.url)
const files = readdirSync(folder).sort()

/** Any number, as long as every replica takes the same. */
const LOCK = 0x5654524e

/** Brings the schema up to date. Of several programs that start at once one migrates, and the others wait for it. */
export async function migrate(pool: SessionPool): Promise<{ from: number; to: number }> {
  const from = await versionOf(pool)
  if (from === files.length) return { from, to: from }
  const client = await pool.connect()
  try {
    await client.query('BEGIN')
    await client.query('SELECT pg_advisory_xact_lock($1)', [LOCK])
    // Asked again under the lock: another may have migrated while this one waited.
    for (const file of files.slice(await versionOf(client))) await client.query(sqlOf(file))
    await client.query('COMMIT')
    client.release()
    return { from, to: files.length }
  } catch (error) {
    client.release(true)
    throw error
  }
}

/** Refuses to go on with a schema that this program does not know. */
export async function checkVersion(pool: SessionPool): Promise<void> {
  const version = await versionOf(pool)
  if (version === files.length) return
  const state = version === 0 ? 'has no tables of Vitrine yet' : 'is of an older version'
  throw new StorageError(`the database ${state}; run 'vitrine migrate' with the operator's role first`)
}

const sqlOf = (file: string) => `
  DO $$ BEGIN IF to_regnamespace('vitrine') IS NULL THEN CREATE SCHEMA vitrine; END IF; END $$;
  CREATE TABLE IF NOT EXISTS vitrine.migrations (number integer PRIMARY KEY, run_at timestamptz NOT NULL DEFAULT now());
  ${readFileSync(new URL(file, folder), 'utf8')};
  INSERT INTO vitrine.migrations (number) VALUES (${files.indexOf(file) + 1});`

interface Connection {
  query(text: string): Promise<QueryResult>
}

async function versionOf(connection: Connection): Promise<number> {
  // Not to_regclass(): within a transaction that may answer from a cache older than the lock it has just waited for.
  const { rowCount } = await connection.query(
    `SELECT 1 FROM pg_tables WHERE schemaname = 'vitrine' AND tablename = 'migrations'`,
  )
  if (rowCount === 0) return 0
  const { rows: newest } = await connection.query('SELECT coalesce(max(number), 0) AS number FROM vitrine.migrations')
  const version: number = newest[0]?.number ?? 0
  if (version > files.length)
    throw new StorageError(
      `the database was written by a newer Vitrine (schema ${version}, this program knows ${files.length}); update the program`,
    )
  return version
}
