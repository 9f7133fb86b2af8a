import { isObject } from '../../lib/checker.ts'
import { type ObjectSchema, object, optional } from '../../lib/schema.ts'
import type { Resource } from '../../resources/define.ts'
import {
  type Argument,
  cursorArgument,
  etagArgument,
  Fix,
  fieldsArgument,
  filterArgument,
  limitArgument,
} from './argument.ts'
import { InvalidArgumentsError, quotedNames } from './tool-error.ts'

/** Those of a resource's tool: its filters and, for a list, what every list takes. */
export function argumentsOf({ list, tool }: Pick<Resource, 'list' | 'tool'>): readonly Argument[] {
  const { ignoresCase = [] } = tool
  const filters = Object.entries(tool.filters).map(([name, filter]) =>
    filterArgument(name, filter, ignoresCase.includes(name)),
  )
  if (list === undefined) return filters
  return [limitArgument(list), cursorArgument, ...filters, fieldsArgument(list), etagArgument]
}

export const argumentsSchema = (args: readonly Argument[]): ObjectSchema =>
  object(Object.fromEntries(args.map(({ name, schema }) => [name, optional(schema)])), { additionalProperties: false })

/** By name, in the order of the schema and each in its one form: two that ask for the same are the same. */
export type NormalisedArguments = Readonly<Record<string, unknown>>

const NONE: NormalisedArguments = {}

/** Reads what a call gives as its arguments, or throws an InvalidArgumentsError that names every fault. */
export function argumentsReader(args: readonly Argument[]): (given: unknown) => NormalisedArguments {
  const names = args.map(({ name }) => name)
  return (given = NONE) => {
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
