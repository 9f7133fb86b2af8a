import { type OperatorStore, type PublicStore, StorageError } from './store.ts'

/** Which engine a DATABASE_URL names. */
export type Database = { engine: 'sqlite'; path: string }

export function parseDatabaseUrl(url: string): Database {
  if (/^postgres(ql)?:/.test(url)) throw new StorageError('PostgreSQL is not supported yet; use sqlite:<file>')
  const path = /^sqlite:(?:\/\/(?=\/))?(.+)$/.exec(url)?.[1]
  if (path === undefined || path.includes(':memory:'))
    throw new StorageError('must be sqlite:<file>, such as sqlite:data/vitrine.db')
  return { engine: 'sqlite', path }
}

/** Engines are loaded when they are asked for: a program on one does not pay for the other. */
export async function openPublicStore(
  database: Database,
  onUseFailure: (error: unknown) => void,
): Promise<PublicStore> {
  const { SqlitePublicStore } = await import('./sqlite/public-store.ts')
  return new SqlitePublicStore(database.path, onUseFailure)
}

export async function openOperatorStore(database: Database, options: { create: boolean }): Promise<OperatorStore> {
  const { SqliteOperatorStore } = await import('./sqlite/operator-store.ts')
  return new SqliteOperatorStore(database.path, options)
}
