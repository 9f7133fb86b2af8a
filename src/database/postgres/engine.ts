import type { QueryConfig, QueryResultRow } from 'pg'
import type { BackgroundUpdates } from '../background-updates.ts'
import type { Slots } from '../slots.ts'

/** What a list is read with. */
export interface PostgresEngine {
  /** For reads that may take long, so that they leave connections to the others. */
  slots: Slots
  /** Runs on a read-only session. */
  read<Row extends QueryResultRow>(statement: QueryConfig): Promise<Row[]>
  /** For updates in the background: gives the number of rows that a statement changed. */
  update(statement: QueryConfig): Promise<number>
  background: Pick<BackgroundUpdates, 'request'>
}
