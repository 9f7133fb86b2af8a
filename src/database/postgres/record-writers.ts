import { incidentParameters, recordSql, useParameters } from '../record-sql.ts'
import type { RecordWriters } from '../use-recorder.ts'
import type { SessionPool } from './session-pool.ts'

const typeOf = (column: string): string =>
  column.endsWith('At') ? 'timestamptz' : ['count', 'refused'].includes(column) ? 'bigint' : 'text'

const SQL = recordSql({
  schema: 'vitrine.',
  table: (parameter, columns) => {
    const typed = columns.map((name) => `"${name}" ${typeOf(name)}`)
    return `json_to_recordset($${parameter}) AS seen (${typed.join(', ')})`
  },
})

export const recordWriters = (pool: SessionPool): RecordWriters => ({
  uses: async (batch) => {
    // A single statement is atomic.
    const text = `WITH called AS (${SQL.writeCallers}) ${SQL.writeUses}`
    await pool.query({ name: 'write uses', text, values: useParameters(batch) })
    return true
  },
  incidents: async (batch) => {
    await pool.query({ name: 'write incidents', text: SQL.writeIncidents, values: incidentParameters(batch) })
    return true
  },
})
