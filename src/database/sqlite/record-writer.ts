import type { DatabaseSync } from 'node:sqlite'
import { localDate, zoneNamed } from '../../lib/local-dates.ts'
import { REQUEST, recordSql, requestRows, stateAndSums } from '../usage/record-sql.ts'
import type { WriteBatch } from '../usage/request-recorder.ts'
import { writeSoon } from './write-lock.ts'

const SQL = recordSql({
  schema: '',
  table: (parameter, columns) => {
    const values = columns.map((name) => `value ->> '${name}' AS "${name}"`)
    return `(SELECT ${values.join(', ')} FROM json_each(?${parameter})) AS seen`
  },
  lock: '',
})

/** Reading a row from JSON takes longer than writing it. */
const ONE_REQUEST = `(SELECT ${REQUEST.map((name, i) => `?${i + 1} AS "${name}"`).join(', ')}) AS seen`

export function recordWriter(db: DatabaseSync): WriteBatch {
  db.function('day_in_zone', (at, zone) => localDate(zoneNamed(zone as string | null), Date.parse(String(at))))
  const [findKnown, writeState, writeSums] = [SQL.findKnown, SQL.writeState, SQL.writeSums].map((sql) =>
    db.prepare(sql),
  )
  const writeRequest = db.prepare(SQL.writeRequests(ONE_REQUEST))
  return async (batch) => {
    const [state, sums] = stateAndSums(batch)
    // Unknown keys must not take the write lock.
    if (findKnown?.get(state) === undefined) return true
    const requests = requestRows(batch)
    return writeSoon(db, () => {
      writeState?.run(state)
      writeSums?.run(null, sums)
      for (const row of requests) writeRequest.run(...REQUEST.map((name) => row[name] ?? null))
    })
  }
}
