import { checker, isLonger, isObject, unstorable } from '../lib/checker.ts'
import { asciiLowerCase } from '../lib/email.ts'
import type { Fault } from '../lib/fault.ts'
import { foldedWords } from '../lib/fold-case.ts'
import { arrayOf, type Field, integer, type ObjectSchema, object, optional, string } from '../lib/schema.ts'
import { type List, publishedFields } from '../lists/definition.ts'
import type { Filters } from '../lists/query.ts'
import { alwaysIncluded, type Resource } from '../resources/define.ts'
import { longFields } from './bounded-page.ts'
import { NOT_SINCE, toSince } from './changed-since.ts'
import { toMoment } from './dates.ts'
import { type ArgumentFault, InvalidArgumentsError } from './invalid-arguments.ts'
import { NO_WORD, parseQuery } from './search-query.ts'

/** How to correct a value. */
type Fix = Pick<ArgumentFault, 'fix'>

interface Argument {
  name: string
  schema: Field
  /**
   * Returns the canonical form of a value that the schema allows, for cache keys, or undefined if it means the same as leaving it
   * out. By default, that is the value itself.
   */
  normalise?(value: Filters[string]): Filters[string] | undefined | Fix
  isMoment?: boolean
}

type ToolResource = Pick<Resource, 'list' | 'tool'>

/** All arguments of a resource's tool, the same in every protocol version. */
export function argumentsOf({ list, tool }: ToolResource): readonly Argument[] {
  const filters = Object.entries(tool.filters).map(([name, filter]) => filterArgument(name, filter, tool, list))
  if (list === undefined) return filters
  const { search } = list
  const countBy = Object.keys(list.countBy)
  return [
    ...filters,
    ...(search.length === 0 ? [] : [queryArgument(search)]),
    ...(countBy.length === 0 ? [] : [countByArgument(countBy)]),
    fieldsArgument(list),
    limitArgument(list.limit),
    cursorArgument,
    ...(list.rows === undefined ? [changedSinceArgument] : []),
    etagArgument,
  ]
}

export const argumentsSchema = (args: readonly Argument[]): ObjectSchema =>
  object(Object.fromEntries(args.map(({ name, schema }) => [name, optional(schema)])), { additionalProperties: false })

/** In schema order and canonical form, so that equal requests have equal arguments. */
export type NormalisedArguments = Readonly<Record<string, unknown>>

/** `parse` throws an InvalidArgumentsError that names every fault. */
export function createArgumentParser(resource: ToolResource) {
  const args = argumentsOf(resource).map((argument) => ({ ...argument, faultsOf: checker(argument.schema) }))
  const names = args.map(({ name }) => name)
  const excludes = Object.entries({ ...EXCLUDES, ...resource.tool.excludes })
  const parse = (given: unknown): NormalisedArguments => {
    if (isBare(given)) return NONE
    if (!isObject(given)) throw new InvalidArgumentsError([{ argument: 'arguments', fix: 'must be an object' }])
    const unknown = Object.keys(given).filter((name) => !names.includes(name))
    const faults: ArgumentFault[] = []
    const normalised: Record<string, unknown> = {}
    for (const { name, faultsOf, normalise = asGiven, isMoment = false } of args) {
      const value = given[name] as Filters[string] | undefined
      if (value === undefined) continue
      const [fault] = [...faultsOf(value), ...unstorable({ '': value }, [''])]
      const normal = fault === undefined ? normalise(value) : fixOf(fault)
      if (typeof normal === 'object' && 'fix' in normal) faults.push({ argument: name, ...normal, isMoment })
      else if (normal !== undefined) normalised[name] = normal
    }
    // Models often add a limit to every call.
    if (normalised.countBy !== undefined) for (const name of ['limit', 'fields']) delete normalised[name]
    for (const [name, others] of excludes)
      for (const other of normalised[name] === undefined ? [] : others)
        if (given[other] !== undefined)
          faults.push({ argument: other, fix: `cannot be combined with ${name}; leave one out` })
    if (faults.length + unknown.length > 0) throw new InvalidArgumentsError(faults, unknown, names)
    return normalised
  }
  return { names, parse }
}

const asGiven = (value: Filters[string]) => value

const NONE: NormalisedArguments = {}

const EXCLUDES = { countBy: ['cursor', 'changedSince'], changedSince: ['ifNoneMatch', 'ids'] }

export const isBare = (given: unknown): boolean =>
  given === undefined || (isObject(given) && Object.keys(given).length === 0)

const limitArgument = (most: number): Argument => ({
  name: 'limit',
  schema: integer({ minimum: 1, maximum: most, description: `Default ${most}.` }),
  normalise: (value) => (value === most ? undefined : value),
})

const cursorArgument: Argument = {
  name: 'cursor',
  schema: string({ description: 'nextCursor of the page before; same filters.' }),
}

const etagArgument: Argument = {
  name: 'ifNoneMatch',
  schema: string({ description: 'etag of an earlier result; returns only unchanged if nothing changed.' }),
}

const changedSinceArgument: Argument = {
  name: 'changedSince',
  schema: string({
    description: 'An earlier etag, an instant, a date or today: only what changed since, and gone ids.',
  }),
  isMoment: true,
  normalise: (value) => toSince(String(value)) ?? { fix: NOT_SINCE },
}

const MAX_QUERY = 200

const queryArgument = (search: readonly string[]): Argument => ({
  name: 'query',
  schema: string({
    maxLength: MAX_QUERY,
    description: `Words that must all occur, even within words, in ${search.slice(0, -1).join(', ')}${search.length > 1 ? ' or ' : ''}${search.at(-1)}; "in quotes" a phrase.`,
  }),
  normalise: (value) => parseQuery(String(value)),
})

const countByArgument = (groups: readonly string[]): Argument => ({
  name: 'countBy',
  schema: string({ enum: groups, description: 'Count matches per value instead of listing them.' }),
})

function fieldsArgument(list: List): Argument {
  const fields = publishedFields(list.fields).map(({ name }) => name)
  const always = alwaysIncluded(list)
  const choosable = fields.filter((field) => !always.includes(field))
  const hasLong = longFields(list).length > 0
  return {
    name: 'fields',
    schema: arrayOf(string({ enum: fields }), {
      description: `Only these besides ${always.join(' and ')}${hasLong ? ', uncut' : ''}; saves tokens.`,
    }),
    normalise(value) {
      const chosen = choosable.filter((field) => (value as readonly string[]).includes(field))
      // Texts that are requested by name are not cut.
      return chosen.length === choosable.length && !hasLong ? undefined : chosen
    },
  }
}

const fixOf = ({ field, problem }: Fault): Fix => ({ fix: field === '' ? problem : `has an item that ${problem}` })

const EMPTY: Fix = { fix: 'must not be empty; leave it out to not filter by it' }

const NO_MOMENT: Fix = {
  fix: 'must be a valid date, such as 2026-11-20, or an instant with its offset, such as 2026-11-20T09:00:00Z',
}

/** How a text is normalised before it is compared. */
const matchings = {
  /** ASCII letters are case-insensitive; all other characters must match exactly. */
  address: (text: string) =>
    text.includes('@') ? asciiLowerCase(text) : { fix: 'must be a whole email address, such as ann@acme.example' },
  person: (text: string) => (text.includes('@') ? asciiLowerCase(text) : foldedWords(text) || { fix: NO_WORD }),
}

/** As long as an address may be. Without a bound, one value could occupy the server for seconds. */
const MAX_VALUE = 320

const tooLong = (maxLength: number): Fix => ({ fix: `must have at most ${maxLength} characters` })

function filterArgument(name: string, field: Field, tool: Resource['tool'], list: List | undefined): Argument {
  const { format, ...withoutFormat } = field
  if (format === 'date-time')
    return {
      name,
      // Publishes no format, because a client that checks it would refuse a date.
      schema: withoutFormat,
      isMoment: true,
      normalise: (value) => toMoment(String(value)) ?? NO_MOMENT,
    }
  const compared = list?.fields.find((each) => each.name === (name === 'ids' ? 'id' : name))
  const maxLength = Math.max(MAX_VALUE, compared?.maxLength ?? 0)
  const matching = tool.matching?.[name]
  return {
    name,
    schema: field,
    normalise(value) {
      if (typeof value === 'object') return listOf(value, maxLength)
      // Models often send every argument.
      if (value === false && tool.flags?.includes(name)) return undefined
      if (typeof value !== 'string') return value
      const text = value.trim()
      if (isLonger(text, maxLength)) return tooLong(maxLength)
      if (text === '') return EMPTY
      return matching === undefined ? value : matchings[matching](text)
    },
  }
}

function listOf(items: readonly string[], maxLength: number): readonly string[] | Fix {
  if (items.some((item) => isLonger(item, maxLength))) return tooLong(maxLength)
  return items.length === 0 || items.includes('') ? EMPTY : [...new Set(items)].sort()
}
