import { checker, unstorable } from '../../lib/checker.ts'
import { type Fault, fault, within } from '../../lib/fault.ts'
import { toInstant } from '../../lib/instant.ts'
import { didYouMean } from '../../lib/nearest.ts'
import { type Field, type Fields, nullable, object } from '../../lib/schema.ts'
import { type Column, type Columns, MAX_URL_LENGTH } from '../../lists/column.ts'
import { fieldsOf, publishedFields, rangesOf } from '../../lists/definition.ts'
import { limitedField } from '../../lists/json-field.ts'
import { type Clash, clashesIn, givesWay, type Identity } from '../check.ts'
import type { Resource } from '../define.ts'
import { RESERVED_ARGUMENTS } from '../list-arguments.ts'
import { compileColumns, identityOf } from './compile.ts'
import {
  DEFAULT_LIMIT,
  type Definition,
  definitionSchema,
  type FieldDefinition,
  type FieldType,
  KEYWORDS,
  KEYWORDS_BY_TYPE,
  type Placement,
  placementSchema,
} from './definition.ts'
import { reservedNameFaults } from './names.ts'

/** Every fault, by member: first in the shape, then, once that is right, in the meaning. */
export function definitionFaults(value: unknown): Fault[] {
  const faults = checkShape(value)
  return faults.length > 0 ? faults : meaningFaults(value as Definition)
}

const checkShape = checker(definitionSchema)

function meaningFaults(definition: Definition): Fault[] {
  const { name, fields } = definition
  const columns = compileColumns(definition)
  const faults = [
    ...reservedNameFaults(name, Object.keys(fields)),
    ...fault(
      'fields.id',
      (columns.id.kind !== 'text' || columns.id.isNullable) && 'must be a text that is not nullable',
    ),
    ...Object.entries(fields).flatMap(([field, each]) => within(`fields.${field}`, fieldFaults(each))),
    ...useFaults(definition),
    ...currentFaults(definition),
    ...argumentFaults(definition),
    ...within('rows', rowsFaults(definition.rows, fields)),
  ]
  // The rest is computed from lengths and types that fit together.
  if (faults.length > 0) return faults
  const limited = limitedFields(columns)
  return [
    ...defaultFaults(columns, limited),
    ...lengthFaults(definition),
    ...sizeFaults(definition, columns),
    ...within('example', exampleFaults(columns, limited, definition.example)),
  ]
}

function fieldFaults(field: FieldDefinition): Fault[] {
  const { type, nullable = false, minimum = Number.MIN_SAFE_INTEGER, maximum = Number.MAX_SAFE_INTEGER } = field
  const { needs = [], takes = [] } = KEYWORDS_BY_TYPE[type]
  return [
    ...needs.flatMap((keyword) => fault(keyword, field[keyword] === undefined && `is required for ${type}`)),
    ...KEYWORDS.filter((keyword) => ![...needs, ...takes].includes(keyword)).flatMap((keyword) =>
      fault(keyword, field[keyword] !== undefined && `does not belong to the type ${type}; remove it`),
    ),
    ...fault('minimum', minimum > maximum && 'must not be greater than maximum'),
    ...fault(
      'default',
      nullable &&
        field.default !== undefined &&
        'cannot be combined with nullable: a record could never be null; remove one',
    ),
  ]
}

const WORDS: readonly FieldType[] = ['text', 'email', 'url']

/** The fields that `order`, `filters`, `search` and `label` name. */
function useFaults({ fields, order = [], filters = [], search = [], label }: Definition): Fault[] {
  const faultsOf = (member: string, field: string, problemOf: (type: FieldType) => string | false) => {
    if (!Object.hasOwn(fields, field)) return unknownField(member, field, fields)
    const problem = problemOf(fields[field]?.type ?? 'text')
    return fault(member, problem && `${field} ${problem}`)
  }
  const notAList = (use: string) => (type: FieldType) =>
    type === 'texts' && `is a list of texts, which cannot be ${use} by`
  const onlyWords = (use: string) => (type: FieldType) =>
    !WORDS.includes(type) && `is of the type ${type}; only text, email and url can be ${use}`
  return [
    ...order.flatMap((field, i) => faultsOf(`order.${i}`, field, notAList('sorted'))),
    ...filters.flatMap((field, i) => faultsOf(`filters.${i}`, field, notAList('filtered'))),
    ...search.flatMap((field, i) => faultsOf(`search.${i}`, field, onlyWords('searched'))),
    ...(label === undefined ? [] : faultsOf('label', label, onlyWords('the label'))),
    ...fault('label', label === 'id' && 'must not be id, which is always shown; remove it'),
  ]
}

const unknownField = (member: string, field: string, fields: object): Fault[] =>
  fault(member, `${JSON.stringify(field)} is not one of the fields${didYouMean(field, Object.keys(fields))}`)

function currentFaults({ fields, current = {} }: Definition): Fault[] {
  const hiding = Object.keys(current).filter((field) => current[field] === 'past')
  const faults = Object.entries(current).flatMap(([field, wanted]) => {
    const member = `current.${field}`
    if (!Object.hasOwn(fields, field)) return unknownField(member, field, fields)
    const { type, values = [] } = fields[field] as FieldDefinition
    if (wanted === 'past')
      return fault(member, type !== 'instant' && `can only be "past" for an instant, not for ${type}`)
    if (type !== 'choice' && type !== 'boolean')
      return fault(member, `is of the type ${type}; only a choice or a boolean can have a list of values here`)
    return wanted.flatMap((value, i) =>
      fault(
        `${member}.${i}`,
        type === 'boolean'
          ? typeof value !== 'boolean' && 'must be true or false'
          : !values.includes(value as string) && `must be one of ${values.join(', ')}`,
      ),
    )
  })
  return [
    ...faults,
    ...fault('current', hiding.length > 1 && `can have "past" for only one instant, not for ${hiding.join(' and ')}`),
  ]
}

function argumentFaults({ fields, order = [], filters = [] }: Definition): Fault[] {
  const taken = new Map(RESERVED_ARGUMENTS.map((name) => [name, 'an argument that every tool has']))
  const used = [...order, ...filters].flatMap((name) => {
    const kind = fields[name]?.type
    return kind === undefined ? [] : { name, kind }
  })
  for (const { name, from, until } of rangesOf(used))
    for (const argument of [from, until]) taken.set(argument, `the argument for a range of ${name}`)
  return filters.flatMap((filter, i) =>
    fault(`filters.${i}`, taken.has(filter) && `${filter} is ${taken.get(filter)}; rename the field`),
  )
}

const checkPlacement = checker(placementSchema)

export function placementFaults(value: unknown, builtIn: readonly Pick<Resource, 'name' | 'list'>[]): Fault[] {
  const faults = checkPlacement(value)
  if (faults.length > 0) return faults
  const { name, rows } = value as Placement
  const list = builtIn.find((resource) => resource.name === name)?.list
  if (list !== undefined)
    return within('rows', rowsFaults(rows, Object.fromEntries(list.fields.map((field) => [field.name, field]))))
  return fault('fields', `is required; only a built-in list, such as tasks, can have rows alone`)
}

function rowsFaults(rows: Definition['rows'], fields: object): Fault[] {
  if (rows === undefined) return []
  const { workspaceColumn, workspace, columns = {} } = rows
  const unknown = Object.keys(columns).filter((field) => !Object.hasOwn(fields, field))
  return [
    ...fault(
      'workspaceColumn',
      (workspaceColumn === undefined) === (workspace === undefined) &&
        'or workspace must say which workspace a row belongs to; give one of them',
    ),
    ...unknown.flatMap((field) => unknownField(`columns.${field}`, field, fields)),
  ]
}

/** In characters, for PostgreSQL: an entry of an index takes up to 2,704 bytes, and a character up to four. */
const MAX_SORTED = 600
const MAX_ID = 500

function lengthFaults({ fields, order = [] }: Definition): Fault[] {
  const lengthOf = (field: string) => indexedLength(fields[field] as FieldDefinition)
  const isTooLong = order.reduce((sum, name) => sum + lengthOf(name), 0) > MAX_SORTED
  return [
    ...fault('fields.id.maxLength', lengthOf('id') > MAX_ID && `must be at most ${MAX_ID} for the id`),
    ...fault(
      'order',
      isTooLong &&
        `sorts by ${order.join(', ')}, which together may have at most ${MAX_SORTED} characters; lower the maxLength of ${longest(order, lengthOf)}`,
    ),
  ]
}

/** An address consists of ASCII characters, which take one byte. */
function indexedLength({ type, maxLength = MAX_URL_LENGTH, values = [] }: FieldDefinition): number {
  if (type === 'text' || type === 'url') return maxLength
  if (type === 'choice') return Math.max(...values.map((value) => value.length))
  return type === 'email' ? 80 : 10
}

const longest = (names: readonly string[], lengthOf: (name: string) => number) =>
  names.toSorted((a, b) => lengthOf(b) - lengthOf(a))[0]

/** The largest response, which is held in memory as a whole. */
const MAX_RESPONSE_BYTES = 32_000_000
/** As in \u001f. */
const BYTES_PER_CHARACTER = 6
const OTHER_BYTES = 50

function sizeFaults({ limit = DEFAULT_LIMIT }: Definition, columns: Columns): Fault[] {
  const sizes = new Map(Object.entries(columns).map(([name, column]) => [name, sizeOf(column)]))
  const bytes = limit * sizes.values().reduce((sum, size) => sum + size, 0)
  if (bytes <= MAX_RESPONSE_BYTES) return []
  const largest = longest([...sizes.keys()], (field) => sizes.get(field) ?? 0)
  const problem = `a response could be ${Math.ceil(bytes / 1e6)} MB, and at most ${MAX_RESPONSE_BYTES / 1e6} MB is allowed; shorten it, or lower the limit of ${limit} rows`
  return fault(`fields.${largest}`, problem)
}

function sizeOf({ maxLength = 0, maxItems = 1, choices = [] }: Column): number {
  const characters = Math.max(maxLength, ...choices.map((value) => value.length))
  return OTHER_BYTES + maxItems * (BYTES_PER_CHARACTER * characters + 3)
}

/** Values as clients see them, with the limits of their columns, which are not published. */
const limitedFields = (columns: Columns): Fields =>
  Object.fromEntries(
    publishedFields(fieldsOf(columns)).map(({ name, ...column }) => {
      const field = limitedField(column, column.maxLength !== undefined && !column.isNullable)
      return [name, column.isNullable ? nullable(field) : field]
    }),
  )

/** A row with every field, exactly as clients would see it. */
function exampleFaults(columns: Columns, fields: Fields, example: Record<string, unknown>): Fault[] {
  return [
    ...checker(object(fields))(example),
    ...unstorable(example, Object.keys(columns)),
    ...Object.entries(columns).flatMap(([field, { kind }]) => {
      const value = example[field]
      // Clients see every instant in UTC with milliseconds.
      const shown = kind === 'instant' && typeof value === 'string' && toInstant(value)
      return fault(field, shown && shown !== value && `must be in the form that clients see: ${shown}`)
    }),
  ]
}

function defaultFaults(columns: Columns, fields: Fields): Fault[] {
  return Object.entries(columns).flatMap(([name, { default: preset }]) => {
    if (preset === undefined) return []
    const faults = checker(fields[name] as Field)(preset)
    return within(`fields.${name}.default`, faults.length > 0 ? faults : unstorable({ '': preset }, ['']))
  })
}

/** A name that the service, a built-in resource that does not give way, or an earlier file has already. */
export function nameFaults(definitions: readonly Definition[], builtIn: readonly Identity[]): Map<number, Fault[]> {
  const faults = new Map<number, Fault[]>()
  const fixed = builtIn.filter((each) => !givesWay(each))
  for (const clash of clashesIn([...fixed, ...definitions.map(identityOf)])) {
    const index = clash.index - fixed.length
    const others = faults.get(index) ?? []
    // The path, the permission and so on follow from the name, so one message is enough.
    if (index < 0 || others.some(({ field }) => field === clash.member)) continue
    faults.set(index, [...others, { field: clash.member, problem: clashProblem(clash) }])
  }
  return faults
}

const clashProblem = ({ what, value, earlier }: Clash) =>
  `gives it the ${what} ${value}, which ${earlier === undefined ? 'the service' : `the resource ${earlier}`} already has; choose another`
