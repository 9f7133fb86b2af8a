import { DECIMAL_PATTERN } from '../lib/decimal.ts'
import { defined } from '../lib/defined.ts'
import { arrayOf, boolean, type Field, integer, string } from '../lib/schema.ts'
import type { Column } from './table.ts'

/** A column's values in JSON. Its limits are left out: they are not published, because older rows may exceed them. */
export function jsonField({ kind, choices }: Pick<Column, 'kind' | 'choices'>): Field {
  switch (kind) {
    case 'integer':
      return integer()
    case 'boolean':
      return boolean()
    case 'texts':
      return arrayOf(string())
    case 'instant':
      return string({ format: 'date-time' })
    case 'date':
    case 'email':
      return string({ format: kind })
    case 'url':
      return string({ format: 'uri' })
    case 'decimal':
    case 'money':
      return string({ pattern: DECIMAL_PATTERN })
    default:
      return string(choices === undefined ? {} : { enum: choices })
  }
}

export function limitedField(column: Column, isFilled: boolean): Field {
  const { kind, maxLength, maxItems, minimum, maximum } = column
  if (kind === 'texts') return arrayOf(string(defined({ maxLength })), defined({ maxItems }))
  return { ...jsonField(column), ...defined({ maxLength, minimum, maximum }), ...(isFilled && { minLength: 1 }) }
}
