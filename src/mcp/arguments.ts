import { checker, isLonger, isObject } from '../lib/checker.ts'
import { asciiLowerCase } from '../lib/email.ts'
import { foldedWords } from '../lib/fold-case.ts'
import { isPlainText, NOT_PLAIN } from '../lib/plain-text.ts'
import { arrayOf, type Field, integer, type ObjectSchema, object, optional, string } from '../lib/schema.ts'
import { type List, publishedFields } from '../lists/definition.ts'
import type { Filters } from '../lists/query.ts'
import { alwaysIncluded, type Resource } from '../resources/define.ts'
import { longFields } from './bounded-page.ts'
import { NOT_SINCE, toSince } from './changed-since.ts'
import { toMoment } from './dates.ts'
import { type ArgumentFault, InvalidArgumentsError, quotedNames } from './invalid-arguments.ts'
import { NO_WORD, parseQuery } from './search-query.ts'

/** How to correct a value. */
type Fix = Pick<ArgumentFault, 'fix'>

interface Argument {
  name: string
  schema: Field
  /** Returns the canonical value for cache keys, or undefined if it means the same as leaving it out. */
  parse(value: unknown): Filters[string] | undefined | Fix
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
  const args = argumentsOf(resource)
  const names = args.map(({ name }) => name)
  const excludes = Object.entries({ ...EXCLUDES, ...resource.tool.excludes })
  const parse = (given: unknown): NormalisedArguments => {
    if (isBare(given)) return NONE
    if (!isObject(given)) throw new InvalidArgumentsError([{ argument: 'arguments', fix: 'must be an object' }])
    const unknown = Object.keys(given).filter((name) => !names.includes(name))
    const faults: ArgumentFault[] = []
    const normalised: Record<string, unknown> = {}
    for (const { name, parse: parseValue, isMoment = false } of args) {
      const value = given[name]
      if (value === undefined) continue
      const normal = parseValue(value)
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

const NONE: NormalisedArguments = {}

const EXCLUDES = { countBy: ['cursor', 'changedSince'], changedSince: ['ifNoneMatch', 'ids'] }

export const isBare = (given: unknown): boolean =>
  given === undefined || (isObject(given) && Object.keys(given).length === 0)

const limitArgument = (most: number): Argument => ({
  name: 'limit',
  schema: integer({ minimum: 1, maximum: most, description: `Default ${most}.` }),
  parse(value) {
    if (value === most) return undefined
    if (typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= most) return value
    return { fix: `must be a whole number from 1 to ${most}` }
  },
})

const textArgument = (name: string, description: string, wrong: string): Argument => ({
  name,
  schema: string({ description }),
  parse: (value) => (typeof value === 'string' ? value : { fix: wrong }),
})

const cursorArgument = textArgument(
  'cursor',
  'nextCursor of the page before; same filters.',
  'must be the nextCursor of the previous page, a string; if nextCursor is null, there is no further page',
)

const etagArgument = textArgument(
  'ifNoneMatch',
  'etag of an earlier result; returns only unchanged if nothing changed.',
  'must be the etag of an earlier result, a string',
)

const changedSinceArgument: Argument = {
  name: 'changedSince',
  schema: string({
    description: 'An earlier etag, an instant, a date or today: only what changed since, and gone ids.',
  }),
  isMoment: true,
  parse: (value) => (typeof value === 'string' && toSince(value)) || { fix: NOT_SINCE },
}

const MAX_QUERY = 200

const queryArgument = (search: readonly string[]): Argument => ({
  name: 'query',
  schema: string({
    maxLength: MAX_QUERY,
    description: `Words that must all occur, even within words, in ${search.slice(0, -1).join(', ')}${search.length > 1 ? ' or ' : ''}${search.at(-1)}; "in quotes" a phrase.`,
  }),
  parse(value) {
    if (typeof value !== 'string' || isLonger(value, MAX_QUERY))
      return { fix: `must be words in one string of at most ${MAX_QUERY} characters` }
    return isPlainText(value) ? parseQuery(value) : { fix: NOT_PLAIN }
  },
})

const countByArgument = (groups: readonly string[]): Argument => ({
  name: 'countBy',
  schema: string({
    enum: groups,
    description: 'Count matches per value instead of listing them.',
  }),
  parse: (value) =>
    typeof value === 'string' && groups.includes(value) ? value : { fix: `must be one of ${groups.join(', ')}` },
})

function fieldsArgument(list: List): Argument {
  const fields = publishedFields(list.fields).map(({ name }) => name)
  const always = alwaysIncluded(list)
  const choosable = fields.filter((field) => !always.includes(field))
  const hasLong = longFields(list).length > 0
  const thereAre = `; there are ${fields.join(', ')}`
  return {
    name: 'fields',
    schema: arrayOf(string({ enum: fields }), {
      description: `Only these besides ${always.join(' and ')}${hasLong ? ', uncut' : ''}; saves tokens.`,
    }),
    parse(value) {
      if (!Array.isArray(value)) return { fix: `must be an array of names${thereAre}` }
      const unknown = value.filter((field) => !fields.includes(field))
      if (unknown.length > 0) return { fix: `must not have ${quotedNames(unknown)}${thereAre}` }
      const chosen = choosable.filter((field) => value.includes(field))
      // Texts that are requested by name are not cut.
      return chosen.length === choosable.length && !hasLong ? undefined : chosen
    },
  }
}

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
      parse: (value) => (typeof value === 'string' && toMoment(value)) || NO_MOMENT,
    }
  const faultsOf = checker(field)
  const compared = list?.fields.find((each) => each.name === (name === 'ids' ? 'id' : name))
  const maxLength = Math.max(MAX_VALUE, compared?.maxLength ?? 0)
  const matching = tool.matching?.[name]
  const normalise = matching === undefined ? (text: string) => text : matchings[matching]
  return {
    name,
    schema: field,
    parse(value) {
      const [fault] = faultsOf(value)
      if (fault !== undefined) return { fix: fault.field === '' ? fault.problem : `has an item that ${fault.problem}` }
      if (Array.isArray(value)) return listOf(value as string[], maxLength)
      // Models often send every argument.
      if (value === false && tool.flags?.includes(name)) return undefined
      if (typeof value !== 'string') return value as number | boolean
      if (!isPlainText(value)) return { fix: NOT_PLAIN }
      const text = value.trim()
      if (isLonger(text, maxLength)) return tooLong(maxLength)
      return text === '' ? EMPTY : normalise(matching === undefined ? value : text)
    },
  }
}

function listOf(items: readonly string[], maxLength: number): readonly string[] | Fix {
  if (items.some((item) => isLonger(item, maxLength))) return tooLong(maxLength)
  if (!items.every(isPlainText)) return { fix: NOT_PLAIN }
  return items.length === 0 || items.includes('') ? EMPTY : [...new Set(items)].sort()
}
