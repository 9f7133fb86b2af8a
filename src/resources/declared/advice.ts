import { type Fault, fault } from '../../lib/fault.ts'
import { named } from '../../lib/format-count.ts'
import type { Definition } from './definition.ts'

/** How a draft's descriptions begin until a person writes them. */
export const PLACEHOLDER = 'Describe '

const MAX_NAMED = 5

/** Definitions that are valid, but probably not what their author wants. */
export function adviceFor(definition: Definition): Fault[] {
  const { name, order = [], filters = [] } = definition
  const described = { [name]: definition, ...definition.fields, [`list_${name}`]: definition.tool }
  const undescribed = Object.entries(described).flatMap(([what, { description }]) =>
    description.startsWith(PLACEHOLDER) ? what : [],
  )
  return [
    ...fault(
      'description',
      undescribed.length > 0 &&
        `is still a placeholder for ${named(undescribed.slice(0, MAX_NAMED), undescribed.length)}; clients and agents rely on it`,
    ),
    ...fault('order', order.length === 0 && 'is missing: rows are listed in the order of creation'),
    ...fault('filters', filters.length === 0 && 'is missing: the tool cannot narrow the list'),
  ]
}
