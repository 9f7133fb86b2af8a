import assert from 'node:assert/strict'
import type { OperatorStore } from '../../src/database/store.ts'
import { importRecords } from '../../src/import/import-records.ts'
import type { List } from '../../src/lists/definition.ts'
import { currentTasks } from '../../src/resources/tasks/list.ts'
import { atTime } from './at-time.ts'

/** None of them may be bad. */
export function addRecords(store: OperatorStore, list: List, slug: string, records: object[], at: string) {
  const onBadRecord = (_: unknown, problems: string[]) => assert.fail(problems.join())
  const context = { store: atTime(store, () => Date.parse(at)), list, actor: 'test', onBadRecord }
  return importRecords(context, slug, { chunks: chunks(records) })
}

/** Imports tasks into `acme` as an operator does, while the service runs. */
export const importTasks = (store: OperatorStore, records: object[]) =>
  addRecords(store, currentTasks, 'acme', records, new Date().toISOString())

async function* chunks(records: object[]): AsyncGenerator<Buffer> {
  yield Buffer.from(JSON.stringify(records))
}
