import { creation, instant, text } from '../../src/database/table.ts'
import { arrayOf, object, reference } from '../../src/lib/schema.ts'
import { defineResource, publishedFields, type Resource } from '../../src/resources/define.ts'
import { resources as builtIn } from '../../src/resources/index.ts'
import { defineList } from '../../src/resources/list.ts'

/** Names, and what a list of them contains. */
const LISTS: [name: string, singular: string, description: string][] = [
  ['orders', 'order', 'Purchase orders that are not closed yet, earliest delivery first.'],
  ['invoices', 'invoice', 'Invoices of suppliers that are not paid yet.'],
  ['suppliers', 'supplier', 'Suppliers that the buyers work with.'],
  ['contacts', 'contact', 'People at suppliers and customers.'],
  ['stocklevels', 'stocklevel', 'How much of each article is in each warehouse.'],
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

function listOf([name, singular, description]: (typeof LISTS)[number], further: number): Resource {
  const columns = {
    id: text({ maxLength: 100, description: `Stable ${singular} identifier.` }),
    name: text({ maxLength: 200, description: `What the ${singular} is called.` }),
    owner: text({ maxLength: 200, nullable: true, description: 'Who takes care of it.' }),
    changedAt: instant({ nullable: true, description: 'When it was last changed.' }),
    ...Object.fromEntries(
      Array.from({ length: further }, (_, i) => [
        `note${i}`,
        text({ maxLength: 500, nullable: true, description: `${'A long description. '.repeat(25)}` }),
      ]),
    ),
    createdAt: creation({ hidden: true, description: 'When it was added.' }),
  }
  const list = defineList(
    { name, singular, version: 1, columns },
    {
      order: ['changedAt', 'name'],
      filters: ['owner'],
      search: ['name'],
      countBy: ['owner'],
      limit: 100,
      label: 'name',
    },
  )
  const schema = `${singular.charAt(0).toUpperCase()}${singular.slice(1)}`
  const row = { id: `${singular}-1`, name: 'First', owner: null, changedAt: null }
  return defineResource({
    name,
    path: `/${name}`,
    permission: `${name}:read`,
    summary: `List ${name}`,
    description,
    body: object({ [name]: arrayOf(reference(schema), { maxItems: 100 }) }),
    schemas: { [schema]: object(publishedFields(columns), { description }) },
    example: { [name]: [row] },
    tool: { name: `list_${name}`, title: `List ${name}`, description, filters: list.filters },
    whenUnavailable: { [name]: [] },
    table: list.table,
    list: list.list,
    pages: list.pages,
  })
}

/** The built-in resources and 20 more, each with so many further fields. */
export const manyResources = (furtherFields = 0): readonly Resource[] => [
  ...builtIn,
  ...LISTS.map((list) => listOf(list, furtherFields)),
]
