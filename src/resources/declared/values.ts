import { limitedField } from '../../database/json-field.ts'
import { type Columns, publishedColumns } from '../../database/table.ts'
import { checker, type FieldError, unstorable, within } from '../../lib/checker.ts'
import { toInstant } from '../../lib/instant.ts'
import { type Field, nullable, object } from '../../lib/schema.ts'

/** Values as clients see them, with the limits of their columns, which are not published. */
const limitedFields = (columns: Columns): Record<string, Field> =>
  Object.fromEntries(
    publishedColumns({ columns }).map((column) => {
      const field = limitedField(column, column.maxLength !== undefined && !column.isNullable)
      return [column.field, column.isNullable ? nullable(field) : field]
    }),
  )

/** Of a row with every field, exactly as clients would see it. */
export function exampleFaults(columns: Columns, example: Record<string, unknown>): FieldError[] {
  const faults = checker(object(limitedFields(columns)))(example)
  const isNamed = new Set(faults.map(({ field }) => field))
  return [
    ...faults,
    ...unstorable(example, Object.keys(columns)),
    ...Object.keys(columns)
      .filter((name) => columns[name]?.kind === 'instant' && !isNamed.has(name))
      .flatMap((field) => inOneForm(field, example[field])),
  ]
}

/** Clients see every instant in UTC with milliseconds. */
function inOneForm(field: string, value: unknown): FieldError[] {
  const instant = typeof value === 'string' ? toInstant(value) : value
  return instant === value ? [] : [{ field, problem: `must be in the form that clients see: ${instant}` }]
}

export function defaultFaults(columns: Columns): FieldError[] {
  const fields = limitedFields(columns)
  return Object.entries(columns).flatMap(([name, { default: preset }]) => {
    if (preset === undefined) return []
    const faults = checker(fields[name] as Field)(preset)
    return within(`fields.${name}.default`, faults.length > 0 ? faults : unstorable({ '': preset }, ['']))
  })
}
