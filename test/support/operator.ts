import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { openOperatorStore, openPublicStore, parseDatabaseUrl } from '../../src/database/open.ts'
import type { Differences, OperatorStore, PublicStore, StoredResource } from '../../src/database/store.ts'
import type { HasList } from '../../src/database/tables/declared-lists.ts'
import type { Quota } from '../../src/lib/rate-windows.ts'
import { permissionsOf, type Resource } from '../../src/resources/define.ts'
import { resources as published } from '../../src/resources/index.ts'
import type { TaskRow } from '../../src/resources/tasks/columns.ts'
import { createWorkspace } from './changes.ts'
import { keysIn } from './keys.ts'
import { migratedDatabaseUrl } from './migrated-database.ts'
import { addTasks } from './written-lists.ts'

/** An operator at work on a database, a new one unless given, with one workspace, `acme`. */
export async function startOperator(t: TestContext, given?: string, resources: readonly Resource[] = published) {
  const url = given ?? (await migratedDatabaseUrl(t))
  const store = await openStore(t, url, resources)
  const workspace = await createWorkspace(store, { name: 'Acme', slug: 'acme' }, 'test', new Date().toISOString())
  const keys = keysIn(store)
  return {
    url,
    store,
    workspace,
    keys,
    async createKey(quota: Quota | null = null) {
      const newKey = { label: 'x', permissions: permissionsOf(resources), quota, expiresAt: null }
      const { token, key } = await keys.create('acme', newKey)
      return { token, id: key.id }
    },
    addTasks: (tasks: (Partial<TaskRow> & { id: string })[]) =>
      addTasks(store, workspace.id, tasks, new Date().toISOString()),
  }
}

/** An operator's store over a database, which is created if it is not there, until the test ends. */
export async function openStore(
  t: TestContext,
  url: string,
  resources: readonly HasList[] = published,
): Promise<OperatorStore> {
  const store = await openOperatorStore(parseDatabaseUrl(url), resources, { create: true })
  t.after(() => store.close())
  return store
}

export const QUOTA = { limit: 600, windowSeconds: 60 }

/** A server's store, until the test ends. */
export async function servedStore(
  t: TestContext,
  url: string,
  resources: readonly StoredResource[] = published,
): Promise<PublicStore> {
  const onUseFailure = (error: unknown) => assert.fail(String(error))
  const store = await openPublicStore(parseDatabaseUrl(url), resources, { defaultQuota: QUOTA, onUseFailure })
  t.after(() => store.close())
  return store
}

/** The differences that a server reports when it starts on a database. */
export async function differencesAt(url: string, resources: readonly StoredResource[]): Promise<Differences> {
  let found: Differences | undefined
  const store = await openPublicStore(parseDatabaseUrl(url), resources, {
    defaultQuota: QUOTA,
    onUseFailure: () => assert.fail(),
    onDifferences: (differences) => {
      found = differences
    },
  })
  await store.close()
  return found ?? assert.fail('no differences were reported')
}
