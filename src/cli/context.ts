import { userInfo } from 'node:os'
import { readSetting } from '../config.ts'
import { openOperatorStore, openReadingStore } from '../database/open.ts'
import type { OperatorStore, ReadingStore } from '../database/store.ts'
import { checkResources } from '../resources/check.ts'
import type { Resource } from '../resources/define.ts'
import { printMessage } from './output.ts'

/** What every command is built from. */
export interface Context {
  resources: readonly Resource[]
  /** The URL of the module that exports `resources`: worker threads cannot be sent functions, they import them. */
  resourcesUrl: string
  /** Opens the database of DATABASE_URL for one command, and always closes it. */
  withStore<T>(work: (store: OperatorStore) => Promise<T>, options?: { create: boolean }): Promise<T>
  /** The same for a command that only reads, and so does not wait for those that write. */
  withReadingStore<T>(work: (store: ReadingStore) => Promise<T>): Promise<T>
}

export async function createContext(resourcesUrl: string): Promise<Context> {
  const resources = await loadResources(resourcesUrl)
  checkResources(resources)
  const database = () => readSetting(process.env, 'DATABASE_URL')
  return {
    resources,
    resourcesUrl,
    async withStore(work, { create } = { create: false }) {
      const onLeftInLog = (message: string) => printMessage(`vitrine: warning: ${message}`)
      return use(await openOperatorStore(database(), resources, { create, onLeftInLog }), work)
    },
    async withReadingStore(work) {
      return use(await openReadingStore(database(), resources), work)
    },
  }
}

export async function loadResources(url: string): Promise<readonly Resource[]> {
  const { resources } = (await import(url)) as { resources: readonly Resource[] }
  return resources
}

async function use<Store extends ReadingStore, T>(store: Store, work: (store: Store) => Promise<T>): Promise<T> {
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
    // In containers the user id often has no name.
    return `cli:uid ${process.getuid?.() ?? 'unknown'}`
  }
}

export const isoNow = (): string => new Date().toISOString()
