import { StorageError } from '../errors.ts'

interface SqliteError extends Error {
  code: 'ERR_SQLITE_ERROR'
  errcode: number
}

const BUSY = 5
const CORRUPT = 11
const NOT_A_DATABASE = 26

/** By SQLite's primary result code. */
const sentences: Record<number, string> = {
  [BUSY]: 'the database is locked by another process that is writing; try again when it has finished',
  8: 'the database is not writable; check the permissions of its file and folder',
  10: 'the disk failed while the database was read or written; check the disk and its free space',
  [CORRUPT]: "the database file is damaged; put a backup in place with 'vitrine restore'",
  13: 'the disk is full; free some space and try again',
  14: 'the database cannot be opened; check that its folder exists and that this user may read and write it',
  [NOT_A_DATABASE]: 'the file is not a SQLite database; check DATABASE_URL',
}

function isSqliteError(error: unknown): error is SqliteError {
  return error instanceof Error && (error as Partial<SqliteError>).code === 'ERR_SQLITE_ERROR'
}

/** The low byte of an extended result code is the primary one. */
const primaryCode = (error: SqliteError) => error.errcode & 0xff

/** The file is damaged, or is not a database. */
export const isDamage = (error: unknown) =>
  isSqliteError(error) && [CORRUPT, NOT_A_DATABASE].includes(primaryCode(error))

export const isBusy = (error: unknown) => isSqliteError(error) && primaryCode(error) === BUSY

/** Raised by the triggers that protect keys and audit entries. The message contains no data from the row. */
const RULE_BROKEN = 1811

export function explained<T>(path: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw explain(path, error)
  }
}

export async function explainedAsync<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw explain(path, error)
  }
}

export function explain(path: string, error: unknown): unknown {
  if (!isSqliteError(error)) return error
  const sentence = sentenceOf(error)
  return sentence === undefined ? error : new StorageError(`${path}: ${sentence}`, { cause: error })
}

function sentenceOf(error: SqliteError): string | undefined {
  const { errcode, message } = error
  // A migration found a table, column or index that Vitrine did not create.
  if (/^((table|index|trigger) \S+ already exists|duplicate column name)/.test(message))
    return `cannot be migrated (${message}); Vitrine did not create it, so rename it first`
  if (/^no such (table|column|index)/.test(message))
    return 'the database is missing a table or column; restore a backup'
  return errcode === RULE_BROKEN ? `the database rejects a row: ${message}` : sentences[primaryCode(error)]
}
