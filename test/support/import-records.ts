import assert from 'node:assert/strict'
import type { OperatorStore } from '../../src/database/store.ts'
import type { Table } from '../../src/database/table.ts'
import { importRecords } from '../../src/import/import-records.ts'
import { table } from '../../src/resources/tasks/current-tasks.ts'
import { atTime } from './at-time.ts'

/** None of them may be bad. */
export function addRecords(store: OperatorStore, table: Table, slug: string, records: object[], at: string) {
  const onBadRecord = (_: unknown, problems: string[]) => assert.fail(problems.join())
  const context = { store: atTime(store, () => Date.parse(at)), table, actor: 'test', onBadRecord }
  return importRecords(context, slug, { chunks: chunks(records) })
}

/** Imports tasks into `acme` as an operator does, while the service runs. */
export const importTasks = (store: OperatorStore, records: object[]) =>
  addRecords(store, table, 'acme', records, new Date().toISOString())

async function* chunks(records: object[]): AsyncGenerator<Buffer> {
  yield Buffer.from(JSON.stringify(records))
}
