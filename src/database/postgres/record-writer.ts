import { REQUEST, recordSql, requestRows, stateAndSums } from '../usage/record-sql.ts'
import type { WriteBatch } from '../usage/request-recorder.ts'
import type { SessionPool } from './pool/session-pool.ts'

const TYPES: Record<string, string> = {
  ...{
    at: 'timestamptz',
    lastAt: 'timestamptz',
    usedAt: 'timestamptz',
    refusedAt: 'timestamptz',
    leakedAt: 'timestamptz',
  },
  ...{ count: 'bigint', status: 'bigint', bytes: 'bigint', omitted: 'bigint', ms: 'double precision' },
}

function table(parameter: number, columns: readonly string[]): string {
  const typed = columns.map((name) => `"${name}" ${TYPES[name] ?? 'text'}`)
  return `json_to_recordset($${parameter}) AS seen (${typed.join(', ')})`
}

const SQL = recordSql({ schema: 'vitrine.', table, lock: 'FOR NO KEY UPDATE OF locked' })
/** A single statement is atomic. It locks keys first, and in order, so that replicas cannot deadlock. */
const WRITE = `
  WITH sums AS (${SQL.writeSums}), logged AS (${SQL.writeRequests(table(3, REQUEST))}) ${SQL.writeState}`

export const recordWriter =
  (pool: SessionPool): WriteBatch =>
  async (batch) => {
    const values = [...stateAndSums(batch), JSON.stringify(requestRows(batch))]
    await pool.query({ name: 'write requests', text: WRITE, values })
    return true
  }
