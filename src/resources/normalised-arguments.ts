import { asciiLowerCase } from '../lib/email.ts'
import { toInstant } from '../lib/instant.ts'
import type { Field } from '../lib/schema.ts'
import type { Resource } from './define.ts'

/**
 * Gives arguments that ask for the same one form, so that they share one response: members in the order of the schema, instants
 * in UTC, no upper case where it makes no difference, no limit where it is the one that holds anyway. Undefined if that
 * leaves none.
 */
export function argumentNormaliser({
  tool,
  list,
}: Pick<Resource, 'tool' | 'list'>): (args: Record<string, unknown>) => Record<string, unknown> | undefined {
  const { filters, ignoresCase = [] } = tool
  const limit = list && { name: 'limit', normalise: (value: unknown) => value, whenLeftOut: list.limit }
  const fields = [
    ...(limit === undefined ? [] : [limit]),
    ...Object.entries(filters).map(([name, field]) => ({
      name,
      normalise: normaliserOf(field, ignoresCase.includes(name)),
      whenLeftOut: undefined,
    })),
  ]
  return (args) => {
    let normalised: Record<string, unknown> | undefined
    for (const { name, normalise, whenLeftOut } of fields) {
      const value = args[name]
      if (value === undefined || value === whenLeftOut) continue
      normalised ??= {}
      normalised[name] = normalise(value)
    }
    return normalised
  }
}

function normaliserOf({ format }: Field, ignoresCase: boolean): (value: unknown) => unknown {
  if (format === 'date-time') return (value) => toInstant(String(value)) ?? value
  return ignoresCase ? (value) => asciiLowerCase(String(value)) : (value) => value
}
