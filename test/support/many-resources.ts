import { compileDefinition } from '../../src/resources/declared/compile.ts'
import type { Definition } from '../../src/resources/declared/definition.ts'
import type { Resource } from '../../src/resources/define.ts'
import { resources as builtIn } from '../../src/resources/index.ts'

/** Names, and what a list of them contains. */
const LISTS: [name: string, singular: string, description: string][] = [
  ['orders', 'order', 'Purchase orders that are not closed yet, earliest delivery first.'],
  ['invoices', 'invoice', 'Invoices of suppliers that are not paid yet.'],
  ['suppliers', 'supplier', 'Suppliers that the buyers work with.'],
  ['contacts', 'contact', 'People at suppliers and customers.'],
  ['stocklevels', 'stock-level', 'How much of each article is in each warehouse.'],
  ['articles', 'article', 'Articles of the catalogue, discontinued ones left out.'],
  ['pricelists', 'pricelist', 'Agreed prices, by article and supplier.'],
  ['contracts', 'contract', 'Contracts in force, and when they can be terminated.'],
  ['shipments', 'shipment', 'Shipments on their way.'],
  ['returns', 'return', 'Goods that were sent back and not credited yet.'],
  ['warehouses', 'warehouse', 'Warehouses with their addresses and opening hours.'],
  ['customers', 'customer', 'Customers with an open order or a credit.'],
  ['quotes', 'quote', 'Quotes that are still valid.'],
  ['payments', 'payment', 'Payments of the last 90 days.'],
  ['budgets', 'budget', 'Budgets of the current year, by department.'],
  ['projects', 'project', 'Projects that have begun and not ended.'],
  ['holidays', 'holiday', 'Public holidays on which no one is in the office.'],
  ['complaints', 'complaint', 'Complaints that nobody has answered yet.'],
  ['inspections', 'inspection', 'Inspections of goods received, with their findings.'],
  ['certificates', 'certificate', 'Certificates of suppliers, and when they expire.'],
]

const notes = <T>(count: number, value: () => T): Record<string, T> =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`note${i}`, value()]))

const definitionOf = ([name, singular, description]: (typeof LISTS)[number], furtherFields: number): Definition => ({
  name,
  singular,
  state: 'published',
  description,
  fields: {
    id: { type: 'text', maxLength: 100, description: `Stable ${singular} identifier.` },
    name: { type: 'text', maxLength: 200, description: `What the ${singular} is called.` },
    owner: { type: 'text', maxLength: 200, nullable: true, description: 'Who takes care of it.' },
    changedOn: { type: 'date', nullable: true, description: 'The day on which it was last changed.' },
    ...notes(furtherFields, () => ({
      type: 'text',
      maxLength: 500,
      nullable: true,
      description: 'A long description. '.repeat(25),
    })),
  },
  order: ['changedOn', 'name'],
  filters: ['owner'],
  search: ['name'],
  limit: 100,
  label: 'name',
  tool: { description: `List the ${name}, oldest first. Use it for questions about ${name}.` },
  example: { id: `${singular}-1`, name: 'First', owner: null, changedOn: null, ...notes(furtherFields, () => null) },
})

export const declaredResource = (list: (typeof LISTS)[number], more: Partial<Definition> = {}): Resource =>
  compileDefinition({ ...definitionOf(list, 0), ...more })

/** The built-in resources and 20 more, each with the given number of further fields. */
export const manyResources = (furtherFields = 0): readonly Resource[] => [
  ...builtIn,
  ...LISTS.map((list) => compileDefinition(definitionOf(list, furtherFields))),
]
