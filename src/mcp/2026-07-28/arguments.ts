import { checker, isObject } from '../../lib/checker.ts'
import { asciiLowerCase } from '../../lib/email.ts'
import { isPlainText, NOT_PLAIN } from '../../lib/plain-text.ts'
import { arrayOf, type Field, integer, type ObjectSchema, object, optional, string } from '../../lib/schema.ts'
import type { Resource } from '../../resources/define.ts'
import type { ListShape } from '../../resources/list.ts'
import { longFields } from './bounded-page.ts'
import { toMoment } from './clock.ts'
import { InvalidArgumentsError, quotedNames } from './errors.ts'

/** How to correct a value, as the rest of a sentence that begins with the argument's name. */
class Fix {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

export interface Argument {
  name: string
  schema: Field
  /** Returns the canonical value for cache keys, or undefined if it means the same as leaving it out. */
  read(value: unknown): string | number | readonly string[] | undefined | Fix
  /** A date or an instant. */
  isMoment?: boolean
}

export function argumentsOf({ list, tool }: Pick<Resource, 'list' | 'tool'>): readonly Argument[] {
  const { ignoresCase = [] } = tool
  const filters = Object.entries(tool.filters).map(([name, filter]) =>
    filter.format === 'date-time'
      ? momentArgument(name, filter)
      : filterArgument(name, filter, ignoresCase.includes(name)),
  )
  if (list === undefined) return filters
  return [limitArgument(list), cursorArgument, ...filters, fieldsArgument(list), etagArgument]
}

export const argumentsSchema = (args: readonly Argument[]): ObjectSchema =>
  object(Object.fromEntries(args.map(({ name, schema }) => [name, optional(schema)])), { additionalProperties: false })

/** In schema order and canonical form, so that equal requests have equal arguments. */
export type NormalisedArguments = Readonly<Record<string, unknown>>

/** Throws an InvalidArgumentsError that names every fault. */
export function argumentsReader(args: readonly Argument[]): (given: unknown) => NormalisedArguments {
  const names = args.map(({ name }) => name)
  return (given = {}) => {
    if (!isObject(given)) throw new InvalidArgumentsError([{ argument: 'arguments', fix: 'must be an object.' }])
    const unknown = Object.keys(given).filter((name) => !names.includes(name))
    const faults = unknown.length === 0 ? [] : [unknownArguments(unknown, names)]
    const normalised: Record<string, unknown> = {}
    for (const { name, read, isMoment = false } of args) {
      const value = given[name]
      if (value === undefined) continue
      const normal = read(value)
      if (normal instanceof Fix) faults.push({ argument: name, fix: normal.text, isMoment })
      else normalised[name] = normal
    }
    if (faults.length > 0) throw new InvalidArgumentsError(faults)
    return normalised
  }
}

const unknownArguments = (unknown: readonly string[], names: readonly string[]) => ({
  argument: quotedNames(unknown),
  fix: `must be left out. ${names.length === 0 ? 'This tool takes no arguments.' : `The arguments are ${names.join(', ')}.`}`,
  isMoment: false,
})

const limitArgument = ({ limit: most }: ListShape): Argument => ({
  name: 'limit',
  schema: integer({ minimum: 1, maximum: most, description: `${most} if left out.` }),
  read(value) {
    if (value === most) return undefined
    if (typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= most) return value
    return new Fix(`must be a whole number from 1 to ${most}.`)
  },
})

const textArgument = (name: string, description: string, wrong: string): Argument => ({
  name,
  schema: string({ description }),
  read: (value) => (typeof value === 'string' ? value : new Fix(wrong)),
})

const cursorArgument = textArgument(
  'cursor',
  'nextCursor of the page before; same filters.',
  'must be the nextCursor of the page before, a string. Where nextCursor is null there is no further page.',
)

const etagArgument = textArgument(
  'ifNoneMatch',
  'etag of an earlier answer; if nothing changed, only that is answered.',
  'must be the etag of an earlier answer, a string.',
)

function fieldsArgument(list: ListShape): Argument {
  const { fields, always } = list
  const choosable = fields.filter((field) => !always.includes(field))
  const hasLong = longFields(list).length > 0
  const cut = hasLong ? '; long texts are then cut' : ''
  const thereAre = `There are ${fields.join(', ')}.`
  return {
    name: 'fields',
    schema: arrayOf(string({ enum: fields }), {
      description: `Members to answer beside ${always.join(' and ')}; all if left out${cut}.`,
    }),
    read(value) {
      if (!Array.isArray(value)) return new Fix(`must be an array of names. ${thereAre}`)
      const strange = value.filter((field) => !fields.includes(field))
      if (strange.length > 0) return new Fix(`must not have ${quotedNames(strange)}. ${thereAre}`)
      const chosen = choosable.filter((field) => value.includes(field))
      // Texts that are asked for by name are not cut.
      return chosen.length === choosable.length && !hasLong ? undefined : chosen
    },
  }
}

/** Publishes no format, because a client that checks it would refuse a date. */
const momentArgument = (name: string, { format: _, ...filter }: Field): Argument => ({
  name,
  schema: filter,
  read: (value) => (typeof value === 'string' ? toMoment(value) : undefined) ?? NO_MOMENT,
  isMoment: true,
})

const NO_MOMENT = new Fix(
  'must be a date that exists, such as 2026-11-20, or an instant with its offset, such as 2026-11-20T09:00:00Z.',
)

function filterArgument(name: string, filter: Field, ignoresCase: boolean): Argument {
  const faultsOf = checker(filter)
  return {
    name,
    schema: filter,
    read(value) {
      const [fault] = faultsOf(value)
      if (fault !== undefined) return new Fix(`${fault.problem}.`)
      if (typeof value !== 'string') return value as number
      if (!isPlainText(value)) return new Fix(`${NOT_PLAIN}.`)
      return ignoresCase ? asciiLowerCase(value) : value
    },
  }
}
