import { redactTokens } from '../lib/redact.ts'

/**
 * What the log tells of an unexpected failure: enough to find it, and neither a stack trace nor a path, a statement or
 * a key. `at` is the place in the code, as file and line.
 */
export function describeFailure(error: unknown): Record<string, unknown> {
  if (!(error instanceof Error)) return { name: typeof error }
  const { code } = error as NodeJS.ErrnoException
  return {
    name: redactTokens(error.name),
    ...(code !== undefined && { code: redactTokens(String(code)) }),
    message: withoutInternals(error.message),
    at: /([\w.-]+\.ts:\d+):\d+\)?$/m.exec(error.stack ?? '')?.[1],
  }
}

const PATH = /(?<!\w)(?:[A-Za-z]:)?[\\/][^\s'",;:)]+/g
const STATEMENT = /\b(?:SELECT|INSERT|UPDATE|DELETE|CREATE|ALTER|DROP|WITH)\b[^:]*/g

const withoutInternals = (message: string) =>
  redactTokens(message).replace(STATEMENT, '[statement]').replace(PATH, '[path]').slice(0, 500)
