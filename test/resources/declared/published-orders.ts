import type { Definition } from '../../../src/resources/declared/definition.ts'

/** A published resource with most kinds of fields. */
export const orders = (change: Partial<Definition>): Definition => ({
  name: 'orders',
  singular: 'order',
  state: 'published',
  description: 'Purchase orders that are not closed yet.',
  fields: {
    id: { type: 'text', maxLength: 100, description: 'Stable order identifier.' },
    supplier: { type: 'text', maxLength: 200, description: 'Name of the supplier.' },
    link: { type: 'url', nullable: true, description: 'The order in the shop.' },
    total: { type: 'money', nullable: true, description: 'Order value.' },
    pieces: { type: 'integer', minimum: 1, nullable: true, description: 'How many pieces.' },
    tags: { type: 'texts', maxLength: 50, nullable: true, description: 'Labels.' },
    deliveryAt: { type: 'instant', nullable: true, description: 'Agreed delivery time.' },
    urgent: { type: 'boolean', default: false, description: 'Whether it must be expedited.' },
    status: { type: 'choice', values: ['draft', 'sent', 'closed'], description: 'State of the order.' },
  },
  current: { status: ['draft', 'sent'] },
  order: ['deliveryAt', 'supplier'],
  filters: ['supplier', 'status'],
  search: ['supplier'],
  limit: 50,
  label: 'supplier',
  tool: { description: 'List open purchase orders, earliest delivery first.' },
  example: {
    ...{ id: 'PO-1', supplier: 'Alvés', link: null, total: '1240.50', pieces: 3, tags: null },
    ...{ deliveryAt: null, urgent: false, status: 'sent' },
  },
  ...change,
})

/** The same with further fields, which are null in the example. */
export const withNotes = (definition: Definition, ...names: string[]): Definition => {
  const note = { type: 'text', maxLength: 50, nullable: true, description: 'A note.' } as const
  const [fields, example] = [{ ...definition.fields }, { ...definition.example }]
  for (const name of names) {
    fields[name] = note
    example[name] = null
  }
  return { ...definition, fields, example }
}
