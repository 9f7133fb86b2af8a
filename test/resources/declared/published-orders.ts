import type { Definition } from '../../../src/resources/declared/definition.ts'
import { orders as documented } from './orders.ts'

const { id, supplier, total, deliveryAt, urgent } = documented.fields

/** The same resource with most kinds of fields. */
export const orders = (change: Partial<Definition>): Definition => ({
  ...documented,
  fields: {
    id,
    supplier,
    link: { type: 'url', nullable: true, description: 'The order in the shop.' },
    total,
    pieces: { type: 'integer', minimum: 1, nullable: true, description: 'How many pieces.' },
    tags: { type: 'texts', maxLength: 50, nullable: true, description: 'Labels.' },
    deliveryAt,
    urgent,
    status: { type: 'choice', values: ['draft', 'sent', 'closed'], description: 'State of the order.' },
  },
  current: { status: ['draft', 'sent'] },
  limit: 50,
  label: 'supplier',
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
