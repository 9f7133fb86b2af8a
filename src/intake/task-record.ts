import Type, { type TSchema } from 'typebox'
import { toInstant } from '../instant.ts'
import { Task } from '../resources/tasks.ts'
import { checker, type Fault, nullableString } from '../schema.ts'
import { type TaskRow, taskColumns } from '../storage/store.ts'
import { isPlainText } from './plain-text.ts'

const statuses: readonly unknown[] = ['open', 'completed', 'cancelled']

/** What an import record may say of a task: the fields that are answered, and those that decide whether it is current. */
const fields: Record<string, TSchema> = {
  ...Task.properties,
  id: Type.String({ minLength: 1, description: 'Stable task identifier; a task of this id is replaced.' }),
  title: Type.String({ minLength: 1, description: 'Short description of the work.' }),
  status: Type.Refine(
    nullableString({ description: `${statuses.join(', ')}; open if left out.` }),
    (status) => status === null || statuses.includes(status),
    () => `must be one of ${statuses.join(', ')}`,
  ),
  snoozedUntil: nullableString({ format: 'date-time', description: 'Until when the task sleeps, if it does.' }),
  createdAt: nullableString({ format: 'date-time', description: 'When the task was made; now if left out.' }),
}

export const fieldNames: readonly string[] = Object.keys(fields)
export const requiredFields: readonly string[] = ['id', 'title']

const faultsOf = checker(
  Type.Object(
    Object.fromEntries(
      Object.entries(fields).map(([name, field]) => {
        const plain = Type.Refine(
          field,
          (value) => typeof value !== 'string' || isPlainText(value),
          () => 'must not hold a NUL character or half of a surrogate pair',
        )
        return [name, requiredFields.includes(name) ? plain : Type.Optional(plain)]
      }),
    ),
    { additionalProperties: false },
  ),
)

const columns = taskColumns.map((name) => ({
  name,
  isInstant: Reflect.get(fields[name] ?? {}, 'format') === 'date-time',
}))

/** Checks one record and gives the task as it is stored, or everything that is wrong with it. */
export function readTaskRecord(value: unknown): { row: TaskRow } | { faults: Fault[] } {
  const faults = faultsOf(value)
  return faults.length === 0 ? { row: toRow(value as Partial<TaskRow>) } : { faults }
}

/** Null says the same as leaving a field out. */
function toRow(record: Partial<TaskRow>): TaskRow {
  const row = {} as TaskRow
  for (const { name, isInstant } of columns) {
    const value = record[name] ?? null
    row[name] = isInstant && value !== null ? (toInstant(value) ?? null) : value
  }
  row.status ??= 'open'
  return row
}
