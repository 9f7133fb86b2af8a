/** An error that the operator can fix. The message explains how, and contains no secrets. */
export class StorageError extends Error {
  override name = 'StorageError'
}

/** The reason is the database's own message, which contains no values. */
export const failedAttempt = (failure: string, cause: unknown): StorageError =>
  new StorageError(`${failure}: ${(cause as Error).message}`, { cause })

/** Commands that create the database can be used. */
export class NoDatabaseYet extends StorageError {
  override name = 'NoDatabaseYet'
}

/** Too many requests are already waiting for the database. Nothing was done, so the caller can retry. */
export class StoreBusyError extends Error {
  override name = 'StoreBusyError'
}

/** One shared instance: capturing a stack trace would cost more than the rest of rejecting a request. */
export const storeBusy = new StoreBusyError('too many requests are already waiting for the database')

/** Another command, such as an import, held SQLite's write lock for too long. Nothing was done, so the caller can retry. */
export const databaseLocked = new StoreBusyError('another command is writing to the database')
