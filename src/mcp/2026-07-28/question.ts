import { RecentlyUsed } from '../../lib/recently-used.ts'
import type { Argument } from './argument.ts'
import { argumentsReader, type NormalisedArguments } from './arguments.ts'

/** What a call asks, under one name for all calls that ask for the same. */
export interface Question {
  key: string
  args: NormalisedArguments
  /** Says what the caller has already, and is no part of what is asked. */
  ifNoneMatch: unknown
}

/** Agents repeat few questions, and to read the arguments of one takes longer than to find its response. */
const MAX_REMEMBERED = 500
/** Longer ones are read again each time: with this the others take two megabytes at most. */
const MAX_TEXT_LENGTH = 500

/** Reads what a call gives as its arguments, or throws an InvalidArgumentsError. */
export function questionReader(tool: string, args: readonly Argument[]): (given: unknown) => Question {
  const readArguments = argumentsReader(args)
  const remembered = new RecentlyUsed<Question>(MAX_REMEMBERED)
  return (given = {}) => {
    const text = JSON.stringify(given)
    const known = remembered.get(text)
    if (known !== undefined) return known
    const { ifNoneMatch, ...asked } = readArguments(given)
    const question = { key: `2026-07-28 ${tool} ${JSON.stringify(asked)}`, args: asked, ifNoneMatch }
    if (text.length <= MAX_TEXT_LENGTH) remembered.set(text, question)
    return question
  }
}
