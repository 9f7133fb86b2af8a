import { StorageError } from '../errors.ts'
import faults from './faults.json' with { type: 'json' }

/** Raised by the triggers that protect keys. The message contains no data from the row. */
const CHECK_VIOLATION = '23514'
/** PostgreSQL's message names the constraint, but is worded differently. */
const FOREIGN_KEY_VIOLATION = '23503'

/** A migration found a table, column, trigger or function that Vitrine did not create. */
const NAME_TAKEN = ['42P07', '42701', '42710', '42723']

/** The detail names the objects. */
const IN_USE_BY_OTHERS = '2BP01'

export async function explained<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw explain(error)
  }
}

/** The error may already be wrapped in a StorageError. */
const codeOf = (error: unknown): string | undefined =>
  ((error instanceof StorageError ? error.cause : error) as { code?: string } | undefined)?.code

/** The server no longer accepts writes: a standby has replaced it, or will. */
export const isDemoted = (error: unknown): boolean => codeOf(error) === '25006'

/** After a serialization failure or a deadlock, the same transaction may succeed. */
export const isTransient = (error: unknown): boolean => ['40001', '40P01'].includes(codeOf(error) ?? '')

export function explain(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof StorageError) return error
  const sentence = sentenceOf(error)
  return sentence === undefined ? error : new StorageError(sentence, { cause: error })
}

/** The messages do not repeat the URL, which may hold a password. */
function sentenceOf(error: Error & { code?: string; constraint?: string; detail?: string }): string | undefined {
  const { code = '', message, constraint, detail } = error
  if (code === CHECK_VIOLATION) return `the database rejects a row: ${message}`
  if (code === FOREIGN_KEY_VIOLATION) return `the database rejects a row: ${constraint}: its workspace does not exist`
  if (NAME_TAKEN.includes(code))
    return `the database cannot be migrated (${message}); Vitrine did not create it, so rename it first`
  if (code === IN_USE_BY_OTHERS)
    return `the database cannot be migrated (${detail}); drop what Vitrine did not create, and create it again afterwards`
  const byCode = faults.byCode.find(({ codes }) => codes.includes(code))?.sentence
  if (byCode !== undefined) return byCode
  if (/^(ERR_(OS)?SSL|ERR_TLS|EPROTO|CERT_|UNABLE_TO_)/.test(code))
    return `TLS with the PostgreSQL server in DATABASE_URL failed (${code}); check sslmode and the certificate files there`
  // The driver's own errors have no code, and some of PostgreSQL's codes are too general.
  return faults.byMessage.find(({ pattern }) => new RegExp(pattern).test(message))?.sentence
}
