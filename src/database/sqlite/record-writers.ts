import type { DatabaseSync } from 'node:sqlite'
import { incidentParameters, recordSql, useParameters } from '../record-sql.ts'
import { dayIn } from '../timezones.ts'
import type { RecordWriters } from '../use-recorder.ts'
import type { FileWatch } from './file-watch.ts'
import { writeSoon } from './write-lock.ts'

const SQL = recordSql({
  schema: '',
  table: (parameter, columns) => {
    const values = columns.map((name) => `value ->> '${name}' AS "${name}"`)
    return `(SELECT ${values.join(', ')} FROM json_each(?${parameter})) AS seen`
  },
})

/** Does not write to a lost or damaged file: it would fail with a less helpful error than the watch's. */
export function recordWriters(db: DatabaseSync, watch: FileWatch): RecordWriters {
  db.function('day_in_zone', (at, zone) => dayIn(zone as string | null, Date.parse(String(at))))
  const [writeUses, writeCallers] = [db.prepare(SQL.writeUses), db.prepare(SQL.writeCallers)]
  const [findIncident, writeIncidents] = [db.prepare(SQL.findIncident), db.prepare(SQL.writeIncidents)]
  return {
    uses: async (batch) => {
      if (watch.poll() !== undefined) return false
      const [uses, callers] = useParameters(batch)
      return writeSoon(db, () => {
        writeUses.run(uses)
        writeCallers.run(null, callers)
      })
    },
    incidents: async (batch) => {
      if (watch.poll() !== undefined) return false
      const parameters = incidentParameters(batch)
      // Reports of unknown keys must not take the write lock.
      if (findIncident.get(...parameters) === undefined) return true
      return writeSoon(db, () => writeIncidents.run(...parameters))
    },
  }
}
