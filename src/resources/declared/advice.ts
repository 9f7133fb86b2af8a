import type { FieldError } from '../../lib/checker.ts'
import type { Definition } from './definition.ts'

/** How `vitrine resource new` begins the descriptions that a person has to write. */
export const PLACEHOLDER = 'Describe '

/** What is allowed, but seldom meant. */
export function adviceFor({ description, fields, tool, order = [], filters = [] }: Definition): FieldError[] {
  const described: [member: string, text: string][] = [
    ['description', description],
    ...Object.entries(fields).map(([name, field]): [string, string] => [
      `fields.${name}.description`,
      field.description,
    ]),
    ['tool.description', tool.description],
  ]
  return [
    ...described
      .filter(([, text]) => text.startsWith(PLACEHOLDER))
      .map(([field]) => ({ field, problem: 'is still the placeholder; clients and agents rely on it' })),
    ...(order.length === 0
      ? [{ field: 'order', problem: 'is missing: rows come in the order of their creation' }]
      : []),
    ...(filters.length === 0 ? [{ field: 'filters', problem: 'is missing: the tool cannot narrow the list' }] : []),
  ]
}
