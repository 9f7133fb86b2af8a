import { StorageError } from '../errors.ts'

const UNTRUSTED =
  "PostgreSQL's certificate is not signed by a trusted authority; name its CA file in DATABASE_URL with sslrootcert=<file>"

const INCOMPLETE = 'the database is missing a part of the schema vitrine; restore a backup with pg_restore'

const TRANSACTION_TIMEOUT =
  "PostgreSQL ended a transaction that exceeded this role's transaction_timeout or idle_in_transaction_session_timeout; raise them with ALTER ROLE … SET"

/** The messages do not repeat the URL, which may hold a password. */
const sentences: Record<string, string> = {
  ECONNREFUSED:
    'PostgreSQL refuses connections at the address in DATABASE_URL; check that it is running and listening there',
  ENOTFOUND: 'the host in DATABASE_URL was not found; check its name',
  EAI_AGAIN: 'the host in DATABASE_URL cannot be looked up at the moment; check its name and the DNS',
  ENOENT: 'there is no PostgreSQL socket at the path in DATABASE_URL; check that it is running and listening there',
  EACCES: 'this user may not open the PostgreSQL socket in DATABASE_URL; check its permissions',
  EHOSTUNREACH: 'the host in DATABASE_URL cannot be reached; check its address and the network',
  ENETUNREACH: 'the host in DATABASE_URL cannot be reached; check its address and the network',
  ETIMEDOUT: 'PostgreSQL does not respond at the address in DATABASE_URL',
  ECONNRESET: 'PostgreSQL closed the connection; check its log, and try again',
  EPIPE: 'PostgreSQL closed the connection; check its log, and try again',
  SELF_SIGNED_CERT_IN_CHAIN: UNTRUSTED,
  DEPTH_ZERO_SELF_SIGNED_CERT: UNTRUSTED,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNTRUSTED,
  UNABLE_TO_GET_ISSUER_CERT: UNTRUSTED,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNTRUSTED,
  CERT_SIGNATURE_FAILURE: UNTRUSTED,
  CERT_HAS_EXPIRED:
    "the certificate of the PostgreSQL server in DATABASE_URL has expired; renew it, or check this machine's clock",
  CERT_NOT_YET_VALID:
    "the certificate of the PostgreSQL server in DATABASE_URL is not valid yet; check this machine's clock",
  ERR_TLS_CERT_ALTNAME_INVALID:
    "PostgreSQL's certificate is for a different host than the one in DATABASE_URL; use a name from the certificate",
  '28P01': 'PostgreSQL rejects the user or password in DATABASE_URL',
  '28000': 'PostgreSQL rejects the user in DATABASE_URL, or requires TLS (add ?sslmode=verify-full)',
  '3D000': 'the database in DATABASE_URL does not exist; create it with createdb',
  '40001': 'PostgreSQL aborted this transaction because other programs keep changing the same rows; try again',
  '40P01': 'PostgreSQL aborted this transaction because other programs wait for the same rows (a deadlock); try again',
  '42501': 'the role in DATABASE_URL lacks a privilege that this needs; see docs/postgresql.md for the two roles',
  '42P01': INCOMPLETE,
  '42703': INCOMPLETE,
  '42883': INCOMPLETE,
  '3F000': INCOMPLETE,
  '53100': 'the disk of the PostgreSQL server in DATABASE_URL is full; free some space there and try again',
  '53200': 'the PostgreSQL server in DATABASE_URL is out of memory; check its log, and try again',
  '53300': 'PostgreSQL has no connections left; raise its max_connections or run fewer replicas',
  '25P03': TRANSACTION_TIMEOUT,
  '25P04': TRANSACTION_TIMEOUT,
  '55P03':
    "another program held a lock on the data for longer than this role's lock_timeout; try again, or raise it with ALTER ROLE … SET lock_timeout",
  '57014':
    "PostgreSQL cancelled a statement: it exceeded this role's statement_timeout, or an administrator cancelled it; try again, or raise it with ALTER ROLE … SET statement_timeout",
  '57P01': 'PostgreSQL was shut down; try again when it is back',
  '57P03': 'PostgreSQL is starting up or shutting down; try again in a moment',
  '25006': 'the database in DATABASE_URL is read-only; point it at the primary',
}

/** The driver's own errors have no code, and some of PostgreSQL's codes are too general. */
const byMessage: [pattern: RegExp, sentence: string][] = [
  [/^(?!canceling|terminating).*timeout/i, 'PostgreSQL does not respond at the address in DATABASE_URL'],
  [
    /does not support SSL/,
    'the PostgreSQL server in DATABASE_URL does not support TLS; turn it on there (ssl = on), or remove sslmode from DATABASE_URL',
  ],
  [/error establishing an SSL/, 'the server at the address in DATABASE_URL is not PostgreSQL; check host and port'],
  [/password must be a string/, 'PostgreSQL requires a password; put it into DATABASE_URL, or set PGPASSWORD'],
  [
    /configuration parameter|invalid value for parameter/,
    'PostgreSQL does not accept a setting in the options of DATABASE_URL; check their names and values',
  ],
  [
    /unsupported startup parameter/,
    'the pooler at the address in DATABASE_URL rejects its options; remove them, and set them for the role instead',
  ],
  [/Connection terminated/, 'PostgreSQL closed the connection; check its log, and try again'],
]

/** Raised by the triggers that enforce the rules. The message names the rule and contains no data from the row. */
const CHECK_VIOLATION = '23514'
/** PostgreSQL's message names the constraint, but is worded differently. */
const FOREIGN_KEY_VIOLATION = '23503'

/** A migration found a table, column, trigger or function that another program created. */
const NAME_TAKEN = ['42P07', '42701', '42710', '42723']

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
  const { code = '' } = error as NodeJS.ErrnoException
  if (code === CHECK_VIOLATION)
    return new StorageError(`the database rejects a row: ${error.message}`, { cause: error })
  if (code === FOREIGN_KEY_VIOLATION)
    return new StorageError(
      `the database rejects a row: ${(error as { constraint?: string }).constraint}: its workspace does not exist`,
      { cause: error },
    )
  if (NAME_TAKEN.includes(code))
    return new StorageError(
      `the database cannot be migrated (${error.message}); Vitrine did not create it, so rename it first`,
      { cause: error },
    )
  const sentence = sentenceOf(code) ?? byMessage.find(([pattern]) => pattern.test(error.message))?.[1]
  return sentence === undefined ? error : new StorageError(sentence, { cause: error })
}

const sentenceOf = (code: string): string | undefined =>
  sentences[code] ??
  (/^(ERR_(OS)?SSL|ERR_TLS|EPROTO|CERT_|UNABLE_TO_)/.test(code)
    ? `TLS with the PostgreSQL server in DATABASE_URL failed (${code}); check sslmode and the certificate files there`
    : undefined)
