import { clip } from '../../lib/plain-text.ts'
import { redactTokens } from '../../lib/redact.ts'
import { resultTail } from '../json-rpc.ts'
import { SERVER_INFO } from './protocol.ts'

/** Thrown to answer a call with an error that a model can read and act on. The message is public. */
export class ToolError extends Error {
  override name = 'ToolError'

  /** The tail of a response: see `resultTail`. */
  get tail(): Buffer {
    const content = [{ type: 'text', text: this.message }]
    return resultTail({ resultType: 'complete', _meta: SERVER_INFO, content, isError: true })
  }
}

interface ArgumentFault {
  argument: string
  /** How to correct it, as the rest of a sentence that begins with its name. */
  fix: string
  /** A caller that gives an invalid date may not know today's. */
  isMoment?: boolean
}

/** All faults of the arguments of a call, so that one more call is enough. */
export class InvalidArgumentsError extends Error {
  override name = 'InvalidArgumentsError'
  readonly faults: readonly ArgumentFault[]

  constructor(faults: readonly ArgumentFault[]) {
    super('invalid arguments')
    this.faults = faults
  }

  /** `today` is a sentence with the date. */
  toToolError(today: string): ToolError {
    const lines = this.faults.map(({ argument, fix }) => `- ${argument} ${fix}`)
    const isAboutDates = this.faults.some(({ isMoment = false }) => isMoment)
    return new ToolError(
      ['Nothing was read: correct the arguments and call again.', ...lines, ...(isAboutDates ? [today] : [])].join(
        '\n',
      ),
    )
  }
}

/** How many names that the caller chose are repeated, and how much of each: enough to find the mistake. */
const MAX_NAMED = 5
const MAX_NAME = 40

/** For messages, which a model reads: what does not look like a name is not repeated. */
export function quotedNames(values: readonly unknown[]): string {
  const names = values.slice(0, MAX_NAMED).map((value) => {
    // First redacted: a part of a key does not look like one.
    const name = typeof value === 'string' ? clip(redactTokens(value), MAX_NAME) : ''
    return /^[\w.$[\]…-]+$/.test(name) ? `"${name}"` : 'something that is no name'
  })
  const more = values.length - names.length
  return [...new Set(names), ...(more > 0 ? [`${more} more`] : [])].join(', ')
}
