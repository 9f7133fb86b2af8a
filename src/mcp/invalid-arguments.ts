import { clip } from '../lib/plain-text.ts'
import { redactTokens } from '../lib/redact.ts'

export interface ArgumentFault {
  argument: string
  /** The rest of a sentence that begins with the argument's name, without its full stop. */
  fix: string
  /** A caller that sends an invalid date may not know today's. */
  isMoment?: boolean
}

/** Collects all faults of a call, so that one more call is enough. Each protocol version has its own wording. */
export class InvalidArgumentsError extends Error {
  override name = 'InvalidArgumentsError'
  readonly faults: readonly ArgumentFault[]
  readonly unknown: readonly string[]
  readonly known: readonly string[]

  constructor(faults: readonly ArgumentFault[], unknown: readonly string[] = [], known: readonly string[] = []) {
    super('invalid arguments')
    this.faults = faults
    this.unknown = unknown
    this.known = known
  }

  get isAboutDates(): boolean {
    return this.faults.some(({ isMoment = false }) => isMoment)
  }

  get knownArguments(): string {
    return this.known.length === 0 ? 'This tool takes no arguments' : `The arguments are ${this.known.join(', ')}`
  }
}

/** Bounds how many of the caller's names are repeated, and how much of each. */
const MAX_NAMED = 5
const MAX_NAME = 40

/** Repeats only what looks like a name, because a model reads it. */
export function quotedNames(values: readonly unknown[]): string {
  const names = values.slice(0, MAX_NAMED).map((value) => {
    // Redacted before clipping, because part of a key does not look like one.
    const name = typeof value === 'string' ? clip(redactTokens(value), MAX_NAME) : ''
    return /^[\w.$[\]…-]+$/.test(name) ? `"${name}"` : 'something that is not a name'
  })
  const more = values.length - names.length
  return [...new Set(names), ...(more > 0 ? [`${more} more`] : [])].join(', ')
}
