import { compileDefinition } from '../../../src/resources/declared/compile.ts'
import type { Definition } from '../../../src/resources/declared/definition.ts'
import type { Resource } from '../../../src/resources/define.ts'
import { resources as builtIn } from '../../../src/resources/index.ts'

/** The example of the documentation. */
export const orders = {
  name: 'orders',
  singular: 'order',
  state: 'published',
  description: 'Purchase orders that are not closed yet.',
  fields: {
    id: { type: 'text', maxLength: 100, description: 'Stable order identifier.' },
    supplier: { type: 'text', maxLength: 200, description: 'Name of the supplier.' },
    total: { type: 'money', nullable: true, description: 'Order value.' },
    orderedOn: { type: 'date', description: 'Business date of the order.' },
    deliveryAt: { type: 'instant', nullable: true, description: 'Agreed delivery time.' },
    urgent: { type: 'boolean', default: false, description: 'Whether it must be expedited.' },
    status: { type: 'choice', values: ['draft', 'sent', 'received', 'closed'], description: 'State of the order.' },
  },
  current: { status: ['draft', 'sent', 'received'] },
  order: ['deliveryAt', 'supplier'],
  filters: ['supplier', 'status'],
  search: ['supplier'],
  limit: 100,
  tool: { description: 'List open purchase orders, earliest delivery first.' },
  example: {
    id: 'PO-1',
    supplier: 'Alvés & Filhos',
    total: '1240.50',
    orderedOn: '2026-11-16',
    deliveryAt: null,
    urgent: false,
    status: 'sent',
  },
} as const satisfies Definition

/** A copy with members replaced, by their path; undefined removes one. */
export function changed(changes: Record<string, unknown>): Record<string, unknown> {
  const copy = structuredClone(orders) as Record<string, unknown>
  for (const [path, value] of Object.entries(changes)) {
    const names = path.split('.')
    const last = names.pop() ?? ''
    const holder = names.reduce((object, name) => object[name] as Record<string, unknown>, copy)
    if (value === undefined) delete holder[last]
    else holder[last] = value
  }
  return copy
}

/** The built-in resources, and one that an operator declared. */
export const resources: readonly Resource[] = [...builtIn, compileDefinition(orders)]
