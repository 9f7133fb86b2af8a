import { DECIMAL_PATTERN } from '../lib/decimal.ts'
import { defined } from '../lib/defined.ts'
import { arrayOf, boolean, type Field, integer, string } from '../lib/schema.ts'
import type { Column, Kind } from './column.ts'

const FIELDS: Partial<Record<Kind, Field>> = {
  integer: integer(),
  boolean: boolean(),
  texts: arrayOf(string()),
  instant: string({ format: 'date-time' }),
  date: string({ format: 'date' }),
  email: string({ format: 'email' }),
  url: string({ format: 'uri' }),
  decimal: string({ pattern: DECIMAL_PATTERN }),
  money: string({ pattern: DECIMAL_PATTERN }),
}

/** A column's values in JSON, without its limits, which older rows may exceed. */
export const jsonField = ({ kind, choices }: Pick<Column, 'kind' | 'choices'>): Field =>
  FIELDS[kind] ?? string(choices === undefined ? {} : { enum: choices })

export function limitedField(column: Column, isFilled: boolean): Field {
  const { kind, maxLength, maxItems, minimum, maximum } = column
  if (kind === 'texts') return arrayOf(string(defined({ maxLength })), defined({ maxItems }))
  return { ...jsonField(column), ...defined({ maxLength, minimum, maximum }), ...(isFilled && { minLength: 1 }) }
}
