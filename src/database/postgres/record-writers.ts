import { incidentParameters, REQUEST, recordSql, requestRows, useParameters } from '../usage/record-sql.ts'
import type { RecordWriters } from '../usage/use-recorder.ts'
import type { SessionPool } from './pool/session-pool.ts'

const TYPES: Record<string, string> = {
  ...{ firstAt: 'timestamptz', lastAt: 'timestamptz', at: 'timestamptz', ms: 'double precision' },
  ...{ count: 'bigint', refused: 'bigint', status: 'bigint', bytes: 'bigint', omitted: 'bigint' },
}

function table(parameter: number, columns: readonly string[]): string {
  const typed = columns.map((name) => `"${name}" ${TYPES[name] ?? 'text'}`)
  return `json_to_recordset($${parameter}) AS seen (${typed.join(', ')})`
}

const SQL = recordSql({ schema: 'vitrine.', table })
const logRequests = (parameter: number) => `logged AS (${SQL.writeRequests(table(parameter, REQUEST))})`

export const recordWriters = (pool: SessionPool): RecordWriters => ({
  uses: async (batch) => {
    // A single statement is atomic.
    const text = `WITH called AS (${SQL.writeCallers}), ${logRequests(3)} ${SQL.writeUses}`
    const values = [...useParameters(batch), JSON.stringify(requestRows(batch))]
    await pool.query({ name: 'write uses', text, values })
    return true
  },
  incidents: async (batch) => {
    const text = `${SQL.counted}, ${logRequests(2)} ${SQL.writeIncidents}`
    const values = [...incidentParameters(batch), JSON.stringify(requestRows(batch))]
    await pool.query({ name: 'write incidents', text, values })
    return true
  },
})
