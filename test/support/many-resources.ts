import { compileDefinition } from '../../src/resources/declared/compile.ts'
import type { Definition } from '../../src/resources/declared/definition.ts'
import type { Resource } from '../../src/resources/define.ts'
import { resources as builtIn } from '../../src/resources/index.ts'

const NAMES = (
  'orders invoices suppliers contacts stocklevels articles pricelists contracts shipments returns ' +
  'warehouses customers quotes payments budgets projects holidays complaints inspections certificates'
).split(' ')

const notes = <T>(count: number, value: () => T): Record<string, T> =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`note${i}`, value()]))

const definitionOf = (name: string, furtherFields: number): Definition => ({
  name,
  singular: name.slice(0, -1),
  state: 'published',
  description: `The ${name} that buyers work with.`,
  fields: {
    id: { type: 'text', maxLength: 100, description: 'Stable identifier.' },
    name: { type: 'text', maxLength: 200, description: 'What it is called.' },
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
  example: { id: `${name}-1`, name: 'First', owner: null, changedOn: null, ...notes(furtherFields, () => null) },
})

export const declaredResource = (name: string, more: Partial<Definition> = {}): Resource =>
  compileDefinition({ ...definitionOf(name, 0), ...more })

/** The built-in resources and 20 more, each with the given number of further fields. */
export const manyResources = (furtherFields = 0): readonly Resource[] => [
  ...builtIn,
  ...NAMES.map((name) => compileDefinition(definitionOf(name, furtherFields))),
]
