import { choice, column } from '../../../src/lists/column.ts'
import { createList } from '../../../src/lists/definition.ts'
import { countable } from '../../../src/resources/list-arguments.ts'
import { plainResource } from '../../support/plain-resource.ts'

export const columns = {
  id: column('text', { maxLength: 100, description: 'Identifier.' }),
  supplier: column('text', { maxLength: 200, description: 'Name of the supplier.' }),
  buyer: column('email', { nullable: true, description: 'Address of the buyer.' }),
  total: column('decimal', { nullable: true, description: 'Order value.' }),
  pieces: column('integer', { nullable: true, description: 'How many pieces.' }),
  orderedOn: column('date', { nullable: true, description: 'Business date of the order.' }),
  deliveryAt: column('instant', { nullable: true, description: 'Agreed delivery time.' }),
  urgent: column('boolean', { default: false, description: 'Whether it must be expedited.' }),
  status: choice(['draft', 'sent', 'closed'], { description: 'State of the order.' }),
  paused: column('boolean', { default: false, published: false, description: 'Whether work on it is suspended.' }),
  embargo: column('instant', { nullable: true, published: false, description: 'Until when it is not shown.' }),
}

/** A resource whose rows appear depending on their state and the time. */
export const orderOptions = {
  order: ['deliveryAt', 'total', 'supplier'],
  filters: ['supplier', 'buyer', 'total', 'pieces', 'orderedOn', 'urgent', 'status', 'deliveryAt'],
  search: ['supplier'],
  limit: 50,
  current: { status: ['draft', 'sent'], paused: [false], embargo: 'past' },
} as const

const countBy = Object.fromEntries(countable(columns).map((field) => [field, [field]]))
export const currentOrders = createList({ name: 'orders', singular: 'order', columns }, { ...orderOptions, countBy })

export const orders = plainResource(currentOrders, orderOptions.filters)
