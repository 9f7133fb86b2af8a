import { userInfo } from 'node:os'
import { readSetting } from '../config.ts'
import { openOperatorStore, openReadingStore } from '../database/open.ts'
import type { OperatorStore, ReadingStore } from '../database/store.ts'
import { say } from './outcome.ts'

/** Opens the database that the environment names for one command, and closes it whatever happens. */
export async function operate<T>(work: (store: OperatorStore) => Promise<T>, options = { create: false }): Promise<T> {
  const onLeftInLog = (message: string) => say(`vitrine: warning: ${message}`)
  const store = await openOperatorStore(readSetting(process.env, 'DATABASE_URL'), { ...options, onLeftInLog })
  try {
    return await work(store)
  } finally {
    await store.close()
  }
}

/** The same for a command that changes nothing, and so need not wait for those that do. */
export async function operateReading<T>(work: (store: ReadingStore) => Promise<T>): Promise<T> {
  const store = await openReadingStore(readSetting(process.env, 'DATABASE_URL'))
  try {
    return await work(store)
  } finally {
    await store.close()
  }
}

/** Who the audit trail names for what is done on the command line. */
export function actor(lookUp: () => { username: string } = userInfo): string {
  try {
    return `cli:${lookUp().username}`
  } catch {
    // Containers often run as a number that has no name.
    return `cli:uid ${process.getuid?.() ?? 'unknown'}`
  }
}

export const nowText = (): string => new Date().toISOString()
