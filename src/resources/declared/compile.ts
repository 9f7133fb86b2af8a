import type { TableDatabase } from '../../database/in-place/table-database.ts'
import { defined } from '../../lib/defined.ts'
import { arrayOf, object, reference } from '../../lib/schema.ts'
import { type Column, type Columns, column } from '../../lists/column.ts'
import { createList, type List, type RowsInPlace } from '../../lists/definition.ts'
import { TableList } from '../../lists/in-place/table-list.ts'
import type { Identity } from '../check.ts'
import { defineResource, type Resource, rowFields } from '../define.ts'
import { countable, toolArguments } from '../list-arguments.ts'
import { declarationOf } from './compatibility.ts'
import { DEFAULT_ITEMS, DEFAULT_LIMIT, type Definition, type FieldDefinition } from './definition.ts'

/** Opens the database of an application whose address is in a setting. */
export type OpenTableDatabase = (setting: string) => Promise<TableDatabase>

const noDatabase: OpenTableDatabase = async (setting) => {
  throw new Error(`${setting} is not opened here`)
}

/** Compiles a valid definition into a resource like the built-in ones. Messages name `file`. */
export function compileDefinition(
  definition: Definition,
  file = `${definition.name}.json`,
  openDatabase: OpenTableDatabase = noDatabase,
): Resource {
  const { name, singular, description, order = [], filters = [], limit = DEFAULT_LIMIT, rows } = definition
  const identity = identityOf(definition)
  const list = declaredList(definition)
  const row = object(rowFields(compileColumns(definition)), { description: `One of the ${name}.` })
  return {
    ...defineResource({
      ...identity,
      summary: `List ${name}`,
      description: `${asSentence(description)} Returns at most ${limit}${orderText(order)}.`,
      body: object({ [name]: arrayOf(reference(schemaName(singular)), { maxItems: limit }) }),
      schemas: { [schemaName(singular)]: row },
      example: { [name]: [definition.example] },
      tool: { ...identity.tool, title: `List ${name}`, ...definition.tool, ...toolArguments(list, filters) },
      list,
      ...(rows && { inPlace: new TableList(list, rows, () => openDatabase(rows.database)) }),
    }),
    declared: definition,
    declaration: declarationOf(definition, file, declaredList),
  }
}

/** A built-in list that is read in place. */
export function placedResource(
  resource: Resource,
  rows: RowsInPlace,
  openDatabase: OpenTableDatabase = noDatabase,
): Resource {
  if (resource.list === undefined) return resource
  const list = { ...resource.list, rows }
  return defineResource({ ...resource, list, inPlace: new TableList(list, rows, () => openDatabase(rows.database)) })
}

/** The list of a valid definition. */
export function declaredList(definition: Definition): List {
  const { name, singular, order, filters, search, limit = DEFAULT_LIMIT, label, current, rows } = definition
  const columns = compileColumns(definition)
  const countBy = Object.fromEntries(countable(columns).map((field) => [field, [field]]))
  return createList(
    { name, singular, columns },
    { limit, countBy, ...defined({ order, filters, search, label, current, rows }) },
  )
}

/** The names derived from those in the definition. */
export const identityOf = ({ name, singular }: Pick<Definition, 'name' | 'singular'>) =>
  ({
    name,
    path: `/${name}`,
    permission: `${name}:read`,
    tool: { name: `list_${name}` },
    schemas: { [schemaName(singular)]: {} },
    list: { singular },
  }) satisfies Identity

const schemaName = (singular: string) =>
  singular.replaceAll(/(?:^|-)([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())

const asSentence = (text: string) => (/[.!?]$/.test(text) ? text : `${text}.`)

const orderText = (order: readonly string[]) =>
  order.length === 0
    ? ', in the order of creation'
    : `, sorted by ${order.join(', then ')}; null comes last, and ties keep the order of creation`

export const compileColumns = ({ fields }: Pick<Definition, 'fields'>): Columns =>
  Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, compileField(field)])) as Columns

const compileField = ({ type, nullable = false, values, ...field }: FieldDefinition): Column => {
  const { description, default: preset, minimum, maximum, maxLength } = field
  const maxItems = type === 'texts' ? (field.maxItems ?? DEFAULT_ITEMS) : undefined
  const limits = { maxLength, maxItems, minimum, maximum, choices: values, default: preset }
  return column(type, { description, nullable, ...defined(limits) })
}
