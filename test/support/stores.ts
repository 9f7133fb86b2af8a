import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { openOperatorStore, openPublicStore, parseDatabaseUrl } from '../../src/database/open.ts'
import type { Differences, OperatorStore, PublicStore, StoredResource } from '../../src/database/store.ts'
import type { HasList } from '../../src/database/tables/declared-lists.ts'
import { resources as published } from '../../src/resources/index.ts'

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
