import type { PoolClient } from 'pg'
import { CHUNK_ROWS, type CopiedTable, type TableChunk, Tally, withoutLeftBehind } from '../copied-tables.ts'
import { StorageError } from '../errors.ts'
import { quoted, type Row } from '../table.ts'
import { isZone } from '../timezones.ts'
import type { SessionPool } from './session-pool.ts'

/** One snapshot, without what is written meanwhile. */
export async function* dump(pool: SessionPool, tables: readonly CopiedTable[]): AsyncGenerator<TableChunk> {
  const client = await pool.connect()
  try {
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY')
    for (const table of tables) {
      const { name, order } = table
      await client.query(`DECLARE rows NO SCROLL CURSOR FOR SELECT * FROM vitrine.${quoted(name)} ORDER BY ${order}`)
      for (;;) {
        const { rows } = await client.query<Row>(`FETCH ${CHUNK_ROWS} FROM rows`)
        yield { table: name, rows: rows.map((row) => withoutLeftBehind(row, table)) }
        if (rows.length < CHUNK_ROWS) break
      }
      await client.query('CLOSE rows')
    }
  } finally {
    // Not back into the pool: the transaction may be unfinished.
    client.release(true)
  }
}

export async function load(
  pool: SessionPool,
  tables: readonly CopiedTable[],
  chunks: AsyncIterable<TableChunk>,
): Promise<Map<string, number>> {
  const client = await pool.connect()
  try {
    await client.query('BEGIN')
    for (const { name } of tables) {
      // Locked against other writers first, so that empty stays empty.
      await client.query(`LOCK TABLE vitrine.${quoted(name)} IN SHARE ROW EXCLUSIVE MODE`)
      if ((await count(client, name)) > 0) throw new StorageError('the target is not empty; copy into a new one')
    }
    const tally = new Tally()
    for await (const chunk of chunks) {
      const { table, rows } = chunk
      tally.add(chunk)
      if (rows.length === 0) continue
      if (table === 'workspaces')
        await client.query(
          'INSERT INTO vitrine.timezones (name) SELECT DISTINCT unnest($1::text[]) ON CONFLICT (name) DO NOTHING',
          [rows.map(({ timezone }) => timezone).filter(isZone)],
        )
      const columns = Object.keys(rows[0] ?? {})
        .map(quoted)
        .join(', ')
      await client.query(
        `INSERT INTO vitrine.${quoted(table)} (${columns}) SELECT ${columns} FROM json_populate_recordset(NULL::vitrine.${quoted(table)}, $1)`,
        [JSON.stringify(rows)],
      )
    }
    for (const { name, identity } of tables)
      if (identity !== undefined)
        await client.query(`
          SELECT setval(pg_get_serial_sequence('vitrine.${quoted(name)}', '${identity}'), coalesce(max(${identity}), 0) + 1, false)
          FROM vitrine.${quoted(name)}`)
    const counts = new Map<string, number>()
    for (const { name } of tables) counts.set(name, await count(client, name))
    tally.verify(counts)
    await client.query('COMMIT')
    await client.query('ANALYZE')
    client.release()
    return counts
  } catch (error) {
    client.release(true)
    throw error
  }
}

async function count(client: PoolClient, table: string): Promise<number> {
  const { rows } = await client.query<{ n: number }>(`SELECT count(*) AS n FROM vitrine.${quoted(table)}`)
  return rows[0]?.n ?? 0
}
