import failures from './connection-failures.json' with { type: 'json' }

/** Explains why a connection failed and what to do about it. */
export const connectionFailureReason = (code: string): string | undefined =>
  failures.find(({ codes }) => codes.includes(code))?.reason ??
  (code.startsWith('HPE_') ? 'the server does not use HTTP there' : undefined)

/** The connection failed, or the response cannot be read. The message explains what to do. */
export class ConnectionError extends Error {
  override name = 'ConnectionError'
}

export function connectionError(error: unknown): ConnectionError {
  if (error instanceof ConnectionError) return error
  const { code = 'unknown error' } = error as NodeJS.ErrnoException
  return new ConnectionError(`${connectionFailureReason(code) ?? 'the connection failed'} (${code})`, { cause: error })
}
