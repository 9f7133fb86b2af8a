/** A running server's database was deleted or replaced. Reported once by `onDatabaseLost`, not per request. */
export class DatabaseLost extends Error {
  override name = 'DatabaseLost'
}

/** A fault that the operator can fix. The message says how, and holds no secret. */
export class StorageError extends Error {
  override name = 'StorageError'
}

/** Too many requests already wait for the database. Nothing was done, so the request can be repeated. */
export class StoreBusyError extends Error {
  override name = 'StoreBusyError'
}

export async function* explainedEach<T>(items: AsyncIterable<T>, explain: (error: unknown) => unknown) {
  try {
    yield* items
  } catch (error) {
    throw explain(error)
  }
}

/** One instance for all: capturing a stack trace would cost more than the rest of refusing a request. */
export const storeBusy = new StoreBusyError('too many requests are already waiting for the database')

/** Another program, such as an import, held SQLite's write lock for too long. Nothing was done here either. */
export const databaseLocked = new StoreBusyError('another program is writing to the database')

/** For the operator, who may be about to copy or move the file. */
export const LEFT_IN_LOG =
  'the database file alone is not the whole database, because another program uses it or the disk failed: ' +
  'the -wal file beside it belongs to it, and must stay there until the next start'
