import { choice, column } from '../../src/lists/column.ts'
import { createList } from '../../src/lists/definition.ts'

/** A field of every kind that tasks do not have, nullable and not. */
export const columns = {
  id: column('text', { maxLength: 100, description: 'Identifier.' }),
  site: column('url', { description: 'Site.' }),
  image: column('url', { maxLength: 40, nullable: true, description: 'Image.' }),
  day: column('date', { description: 'Day.' }),
  paidOn: column('date', { nullable: true, description: 'Day of the payment.' }),
  rate: column('decimal', { description: 'Rate.' }),
  weight: column('decimal', { nullable: true, description: 'Weight.' }),
  price: column('money', { default: '0.00', description: 'Price.' }),
  total: column('money', { nullable: true, description: 'Total.' }),
  urgent: column('boolean', { default: false, description: 'Whether it is urgent.' }),
  checked: column('boolean', { nullable: true, description: 'Whether it was checked.' }),
  state: choice(['open', 'closed'], { nullable: true, default: null, description: 'State.' }),
  tags: column('texts', { maxLength: 20, maxItems: 3, description: 'Tags.' }),
  notes: column('texts', { maxLength: 20, maxItems: 100, nullable: true, description: 'Notes.' }),
}

export const parcels = createList({ name: 'parcels', singular: 'parcel', columns }, { limit: 100, countBy: {} })
