import { StorageError } from '../errors.ts'
import type { OperatorStore, PublicStore, PublicStoreOptions, ReadingStore } from '../store.ts'
import { createPool } from './connect.ts'
import { explained } from './faults.ts'
import { Hosts } from './hosts.ts'
import { checkVersion, migrate } from './migrate.ts'
import { PostgresOperatorStore } from './operator-store.ts'
import { PostgresPublicStore } from './public-store.ts'
import type { SessionPool } from './session-pool.ts'

export async function openPublicStore(url: string, options: PublicStoreOptions): Promise<PublicStore> {
  await upToDate(url)
  return new PostgresPublicStore(url, options)
}

export async function openOperatorStore(url: string): Promise<OperatorStore> {
  await upToDate(url)
  return new PostgresOperatorStore(url)
}

export async function openReadingStore(url: string): Promise<ReadingStore> {
  const pool = createPool(new Hosts(url), { purpose: 'migration', max: 1, patient: true })
  try {
    await explained(() => checkVersion(pool))
  } finally {
    await pool.end()
  }
  return new PostgresOperatorStore(url)
}

/**
 * Undefined if the role lacks what the settings page needs: docs/sql/settings-writes.sql grants it. The server opens its
 * public store first, so the schema is up to date.
 */
export async function openSettingsStore(url: string): Promise<OperatorStore | undefined> {
  const store = new PostgresOperatorStore(url, { beside: true })
  try {
    if (await store.mayWriteSettings()) return store
  } catch (error) {
    await store.close()
    throw error
  }
  await store.close()
  return undefined
}

/** Migrates if the role may. The server's role may not, so then the schema must be up to date. */
async function upToDate(url: string): Promise<void> {
  const pool = createPool(new Hosts(url), { purpose: 'migration', max: 1, patient: true })
  try {
    await explained(() => migrateOrCheck(pool))
  } finally {
    await pool.end()
  }
}

async function migrateOrCheck(pool: SessionPool): Promise<void> {
  try {
    await migrate(pool)
  } catch (error) {
    if (error instanceof StorageError || (error as NodeJS.ErrnoException).code !== INSUFFICIENT_PRIVILEGE) throw error
    await checkVersion(pool)
  }
}

const INSUFFICIENT_PRIVILEGE = '42501'
