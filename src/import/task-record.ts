import { type TaskRow, taskColumns } from '../database/store.ts'
import { checker, type Fault, unstorable } from '../lib/checker.ts'
import { toInstant } from '../lib/instant.ts'
import { isPlainText } from '../lib/plain-text.ts'
import { type Field, nullableString, object, optional } from '../lib/schema.ts'
import { Task, taskLimits } from '../resources/tasks/contract.ts'

const statuses = ['open', 'completed', 'cancelled']

/** What an import record may say of a task: the fields that are answered, and those that decide whether it is current. */
const fields: Record<string, Field> = {
  ...Object.fromEntries(
    Object.entries(Task.properties).map(([name, field]) => {
      const maxLength = (taskLimits as Record<string, number>)[name]
      return [
        name,
        { ...field, ...(maxLength !== undefined && { maxLength }), ...(field.type === 'string' && { minLength: 1 }) },
      ]
    }),
  ),
  status: nullableString({ enum: [...statuses, null], description: `${statuses.join(', ')}; open if left out.` }),
  snoozedUntil: nullableString({ format: 'date-time', description: 'Until when the task sleeps, if it does.' }),
  createdAt: nullableString({ format: 'date-time', description: 'When the task was made; now if left out.' }),
}

export const fieldNames: readonly string[] = Object.keys(fields)
export const requiredFields: readonly string[] = ['id', 'title']

const isInstant = (field: Field | undefined): boolean => field?.format === 'date-time'

const recordOf = (adapt: (field: Field) => Field) =>
  object(
    Object.fromEntries(
      Object.entries(fields).map(([name, field]) => [
        name,
        requiredFields.includes(name) ? adapt(field) : optional(adapt(field)),
      ]),
    ),
  )

const faultsOf = checker(recordOf((field) => field))
const faultsButInstants = checker(recordOf((field) => (isInstant(field) ? nullableString({}) : field)))
const columns = taskColumns.map((name) => ({ name, isInstant: isInstant(fields[name]) }))

/**
 * Checks one record and gives the task as it is stored, or everything that is wrong with it. Instants are checked by
 * being converted: to check them beforehand would read each of them twice, and that is most of the work.
 */
export function readTaskRecord(value: unknown): { row: TaskRow } | { faults: Fault[] } {
  const row = faultsButInstants(value).length === 0 ? toRow(value as Partial<TaskRow>) : undefined
  return row === undefined ? { faults: [...faultsOf(value), ...unstorable(value, fieldNames)] } : { row }
}

/** Null says the same as leaving a field out. Undefined if something is not an instant, or cannot be stored. */
function toRow(record: Partial<TaskRow>): TaskRow | undefined {
  const row = {} as TaskRow
  for (const { name, isInstant } of columns) {
    const value = record[name] ?? null
    const stored = isInstant && value !== null ? toInstant(value) : value
    if (stored === undefined || (stored !== null && !isPlainText(stored))) return undefined
    row[name] = stored
  }
  row.status ??= 'open'
  return row
}
