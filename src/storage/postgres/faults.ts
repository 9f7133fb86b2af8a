import { StorageError } from '../store.ts'

/** What goes wrong between us and the server, by its code, in words for the operator. The URL may hold a password. */
const sentences: Record<string, string> = {
  ECONNREFUSED: 'PostgreSQL refuses connections at the address in DATABASE_URL; check that it runs and listens there',
  ENOTFOUND: 'the host in DATABASE_URL is not known; check its name',
  ECONNRESET: 'PostgreSQL closed the connection; check its log, and try again',
  '28P01': 'PostgreSQL refuses the user or password in DATABASE_URL',
  '28000': 'PostgreSQL refuses the user in DATABASE_URL, or wants TLS (add ?sslmode=verify-full)',
  '3D000': 'the database in DATABASE_URL does not exist; make it with createdb',
  '42501': 'the role in DATABASE_URL lacks a privilege for this; see docs/postgresql.md for the two roles',
  '53300': 'PostgreSQL has no connection left; raise its max_connections or run fewer replicas',
  '57P01': 'PostgreSQL was shut down; try again when it is back',
  '57P03': 'PostgreSQL is starting up or shutting down; try again in a moment',
  '25006': 'the database in DATABASE_URL is read-only; point it at the primary',
}

/** Raised by the rules of migration limits, whose messages name the rule and hold nothing of the row. */
const CHECK_VIOLATION = '23514'

/** Runs the work and turns a foreseeable fault into a sentence. */
export async function explained<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw explain(error)
  }
}

function explain(error: unknown): unknown {
  if (!(error instanceof Error)) return error
  const { code = '' } = error as NodeJS.ErrnoException
  const isTimeout = /timeout/i.test(error.message) && code === ''
  if (code === CHECK_VIOLATION)
    return new StorageError(`the database refuses a row: ${error.message}`, { cause: error })
  const sentence = isTimeout ? 'PostgreSQL does not answer at the address in DATABASE_URL' : sentences[code]
  return sentence === undefined ? error : new StorageError(sentence, { cause: error })
}
