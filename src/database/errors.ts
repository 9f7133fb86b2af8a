/** The database under a running server is gone, or another; told once, by `onDatabaseLost`, however many requests meet it. */
export class DatabaseLost extends Error {
  override name = 'DatabaseLost'
}

/** A fault in the store that its operator can mend; the message says how, and holds no secret. */
export class StorageError extends Error {
  override name = 'StorageError'
}

/** So many wait for the store already that one more would only wait in vain. Nothing was done; it may be tried again. */
export class StoreBusyError extends Error {
  override name = 'StoreBusyError'
}

/** One for all: to write down where each came from would cost more than the rest of turning a request away. */
export const storeBusy = new StoreBusyError('too many wait for the database already')
