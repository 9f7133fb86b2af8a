import { hash } from 'node:crypto'
import { type Column, type Columns, isText } from './column.ts'
import type { Current } from './current.ts'
import { before, byIds, byWords, equalTo, type FilteredField, notBefore, type RowFilter } from './filters.ts'

/** What a list is, whatever holds its rows. Built-in lists and those that operators declare are the same. */
export interface List {
  name: string
  /** What one row is called. */
  singular: string
  /** In the order of responses. */
  fields: readonly ListField[]
  current: Current
  /** What is said of a row that the list shows later: `hidden` if left out. */
  hiding?: string
  /** Nulls come last, and ties are in the order of creation. */
  order: readonly ListField[]
  /** The fields that `query` searches. */
  search: readonly string[]
  /** The most rows of a response. */
  limit: number
  /** The field that describes a row best. */
  label?: string
  /** By argument. */
  filters: Readonly<Record<string, RowFilter>>
  /** The fields that filters compare. */
  filtered: readonly string[]
  /** The filtered fields by whose values a key can be limited to some rows: texts and choices. */
  limitedBy: readonly string[]
  /** By name: a row is counted under the first of these fields that has a value, an instant under its local date. */
  countBy: Readonly<Record<string, readonly string[]>>
  /** By the same names: the field whose first value stands beside a group's value, as this property. */
  groupLabels?: Readonly<Record<string, { property: 'name' | 'title'; field: string }>>
  /** For each filter, the fields whose values are suggested if it matches nothing. */
  suggests: Readonly<Record<string, readonly string[]>>
  /** The instant after which a row is overdue. The order begins with it. */
  due?: string
  /** Where the rows are, if they are read in place. */
  rows?: RowsInPlace
  /** Differs if rows must be stored in another way: see stored/reshape.ts. */
  shape: string
}

/** A table or view of an application. */
export interface RowsInPlace {
  /** The setting with the address of its database. */
  database: string
  table: string
  /** Has the slug or the id of the row's workspace. */
  workspaceColumn?: string
  /** The slug of the workspace that all rows belong to, instead. */
  workspace?: string
  /** By field, where its name differs. */
  columns?: Readonly<Record<string, string>>
}

export interface ListField extends Column {
  name: string
}

interface ListOptions extends Pick<List, 'limit' | 'label' | 'hiding' | 'due' | 'countBy' | 'groupLabels' | 'rows'> {
  current?: Current
  order?: readonly string[]
  search?: readonly string[]
  /** Fields: an argument of the same name compares values, and those of instants and dates bound them (`dueAtAfter`). Or filters of its own. */
  filters?: readonly string[] | ((field: (name: string) => FilteredField) => List['filters'])
  /** By default, the texts that are filtered. */
  suggests?: List['suggests']
  /** By default, the texts and choices that are filtered. */
  limitedBy?: List['limitedBy']
}

export function createList(
  { name, singular, columns }: { name: string; singular: string; columns: Columns },
  { current = {}, order = [], search = [], filters = [], ...options }: ListOptions,
): List {
  const fields = fieldsOf(columns)
  const fieldNamed = (name: string) => fields.find((field) => field.name === name) ?? noField(name)
  const filtered = new Set<string>()
  const filteredField = (name: string): FilteredField => {
    filtered.add(name)
    return { ...fieldNamed(name), isFirst: name === order[0] }
  }
  const own = typeof filters === 'function' ? filters(filteredField) : plainFilters(filters, order, filteredField)
  return {
    ...{ name, singular, fields, current, search },
    order: order.map(fieldNamed),
    filters: { ...own, ids: byIds, ...(search.length > 0 && { query: byWords }) },
    filtered: [...filtered],
    suggests: typeof filters === 'function' ? {} : suggestedTexts(filters.map(fieldNamed)),
    limitedBy: typeof filters === 'function' ? [] : filters.filter((name) => isLimiting(fieldNamed(name))),
    ...options,
    shape: shapeOf(fields, { current, order, search, filtered: [...filtered] }),
  }
}

export const fieldsOf = (columns: Columns): ListField[] =>
  Object.entries(columns).map(([name, column]) => ({ ...column, name }))

/** The fields of responses. */
export const publishedFields = <Field extends Column>(fields: readonly Field[]): Field[] =>
  fields.filter(({ isPublished }) => isPublished)

export const listsOf = (resources: readonly { list?: List }[]): List[] => resources.flatMap(({ list }) => list ?? [])

function plainFilters(filters: readonly string[], order: readonly string[], field: (name: string) => FilteredField) {
  return Object.fromEntries([
    ...filters.map((name) => [name, equalTo(field(name))] as const),
    ...rangesOf([...order, ...filters].map(field)).flatMap(({ name, from, until }) => [
      [from, notBefore(field(name))] as const,
      [until, before(field(name))] as const,
    ]),
  ])
}

/** The instants and dates among the fields that are sorted or filtered by, and the arguments that bound them. */
export const rangesOf = (fields: readonly Pick<ListField, 'name' | 'kind'>[]) =>
  [...new Map(fields.map((field) => [field.name, field])).values()]
    .filter(({ kind }) => kind === 'instant' || kind === 'date')
    .map(({ name, kind }) => ({ name, kind, from: `${name}After`, until: `${name}Before` }))

const suggestedTexts = (fields: readonly ListField[]) =>
  Object.fromEntries(fields.filter(isText).map(({ name }) => [name, [name]]))

const isLimiting = (field: ListField) => isText(field) || field.kind === 'choice'

function noField(name: string): never {
  throw new Error(`there is no field ${name}`)
}

/** Raised if the same definition has other items: their sort keys, words or JSON. */
const ITEM_VERSION = 2
const SHAPE_LENGTH = 12

/** A digest of everything that items and their traces depend on. */
function shapeOf(
  fields: readonly ListField[],
  uses: { current: Current; order: readonly string[]; search: readonly string[]; filtered: readonly string[] },
): string {
  const parts = fields.map(({ name, kind, isPublished }) => [name, kind, isPublished])
  const shape = JSON.stringify([ITEM_VERSION, parts, uses])
  return hash('sha256', shape, 'base64url').slice(0, SHAPE_LENGTH)
}
