import type { DatabaseSync } from 'node:sqlite'
import { localDate, zoneNamed } from '../../lib/local-dates.ts'
import { incidentParameters, REQUEST, recordSql, requestRows, useParameters } from '../usage/record-sql.ts'
import type { RecordWriters } from '../usage/use-recorder.ts'
import type { FileWatch } from './files/file-watch.ts'
import { writeSoon } from './write-lock.ts'

const SQL = recordSql({
  schema: '',
  table: (parameter, columns) => {
    const values = columns.map((name) => `value ->> '${name}' AS "${name}"`)
    return `(SELECT ${values.join(', ')} FROM json_each(?${parameter})) AS seen`
  },
})

/** Reading a row from JSON takes longer than writing it. */
const ONE_REQUEST = `(SELECT ${REQUEST.map((name, i) => `?${i + 1} AS "${name}"`).join(', ')}) AS seen`

/** Does not write to a lost or damaged file: it would fail with a less helpful error than the watch's. */
export function recordWriters(db: DatabaseSync, watch: FileWatch): RecordWriters {
  db.function('day_in_zone', (at, zone) => localDate(zoneNamed(zone as string | null), Date.parse(String(at))))
  const [writeUses, writeCallers] = [db.prepare(SQL.writeUses), db.prepare(SQL.writeCallers)]
  const findIncident = db.prepare(SQL.findIncident)
  const writeIncidents = db.prepare(SQL.counted + SQL.writeIncidents)
  const writeRequest = db.prepare(SQL.writeRequests(ONE_REQUEST))
  const writeRequests = (rows: ReturnType<typeof requestRows>) => {
    for (const row of rows) writeRequest.run(...REQUEST.map((name) => row[name] ?? null))
  }
  return {
    uses: async (batch) => {
      if (watch.poll() !== undefined) return false
      const [[uses, callers], requests] = [useParameters(batch), requestRows(batch)]
      return writeSoon(db, () => {
        writeUses.run(uses)
        writeCallers.run(null, callers)
        writeRequests(requests)
      })
    },
    incidents: async (batch) => {
      if (watch.poll() !== undefined) return false
      const [[incidents], requests] = [incidentParameters(batch), requestRows(batch)]
      // Incidents of unknown keys must not take the write lock.
      if (findIncident.get(incidents) === undefined) return true
      return writeSoon(db, () => {
        writeIncidents.run(incidents)
        writeRequests(requests)
      })
    },
  }
}
