import type { Pool } from 'pg'
import { type OperatorStore, type PublicStore, type PublicStoreOptions, StorageError } from '../store.ts'
import { makePool } from './connect.ts'
import { explained } from './faults.ts'
import { checkVersion, migrate } from './migrate.ts'
import { PostgresOperatorStore } from './operator-store.ts'
import { PostgresPublicStore } from './public-store.ts'

export async function openPublicStore(url: string, options: PublicStoreOptions): Promise<PublicStore> {
  await upToDate(url)
  return new PostgresPublicStore(url, options)
}

export async function openOperatorStore(url: string): Promise<OperatorStore> {
  await upToDate(url)
  return new PostgresOperatorStore(url)
}

/** Undefined if the role lacks what the settings page writes: docs/sql/settings-writes.sql grants it. */
export async function openSettingsStore(url: string): Promise<OperatorStore | undefined> {
  await upToDate(url)
  const pool = makePool(url, { purpose: 'settings', max: 1 })
  try {
    const { rows } = await explained(() => pool.query<{ may: boolean }>(MAY_WRITE_SETTINGS))
    return rows[0]?.may ? new PostgresOperatorStore(url, { beside: true }) : undefined
  } finally {
    await pool.end()
  }
}

const MAY_WRITE_SETTINGS = `
  SELECT has_table_privilege('vitrine.api_keys', 'INSERT') AND has_column_privilege('vitrine.api_keys', 'revoked_at', 'UPDATE')
     AND has_column_privilege('vitrine.api_keys', 'expires_at', 'UPDATE') AND has_table_privilege('vitrine.audit', 'INSERT')
     AND has_table_privilege('vitrine.sessions', 'INSERT') AND has_table_privilege('vitrine.sessions', 'UPDATE')
     AND has_table_privilege('vitrine.sessions', 'DELETE') AND has_table_privilege('vitrine.tickets', 'INSERT')
     AND has_table_privilege('vitrine.tickets', 'DELETE') AS may`

/** Migrates, if the role may. The server's role may not: then the schema must be up to date already. */
async function upToDate(url: string): Promise<void> {
  const pool = makePool(url, { purpose: 'migration', max: 1, patient: true })
  try {
    await explained(() => migrateOrCheck(pool))
  } finally {
    await pool.end()
  }
}

async function migrateOrCheck(pool: Pool): Promise<void> {
  try {
    await migrate(pool)
  } catch (error) {
    if (error instanceof StorageError || (error as NodeJS.ErrnoException).code !== INSUFFICIENT_PRIVILEGE) throw error
    await checkVersion(pool)
  }
}

const INSUFFICIENT_PRIVILEGE = '42501'
