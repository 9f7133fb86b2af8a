import { hash } from 'node:crypto'
import type { OperatorStore, Transaction } from '../../src/database/store.ts'
import { useCounts } from '../../src/keys/history.ts'
import { Keys } from '../../src/keys/life-cycle.ts'
import { countOpenKeys, findKeys, insertKey, type KeyRecord, MAX_OPEN_KEYS } from '../../src/keys/records.ts'
import { workspaceOrThrow } from '../../src/workspaces/records.ts'

/** All keys of a workspace, in the order of their creation. */
export async function listKeys(tx: Transaction, workspaceId: string) {
  const rows = await tx.all<{ id: string }>('SELECT id FROM api_keys WHERE workspace_id = ?', workspaceId)
  return findKeys(
    tx,
    workspaceId,
    rows.map(({ id }) => id),
  )
}

/** Changes keys, each change in a transaction of its own; and lists them with their uses, to be looked at by tests. */
export type TestKeys = ReturnType<typeof keysIn>

export function keysIn(store: OperatorStore, actor = 'test', clock?: () => number) {
  const list = (workspaceSlug: string) =>
    store.read(async (tx) => {
      const { id: workspaceId } = await workspaceOrThrow(tx, workspaceSlug)
      const keys = await listKeys(tx, workspaceId)
      const ids = keys.map(({ id }) => id)
      const uses = await useCounts(tx, ids)
      return keys.map((key) => ({ ...key, useCount: uses.get(key.id) ?? 0 }))
    })
  const change =
    (name: keyof Keys) =>
    (...given: unknown[]) =>
      store.transaction(async (tx) => {
        const keys = new Keys(tx, actor, clock?.())
        return Reflect.apply(keys[name], keys, given)
      })
  return new Proxy({} as { [Change in keyof Keys]: Keys[Change] } & { list: typeof list }, {
    get: (_, name: 'list' | keyof Keys) => (name === 'list' ? list : change(name)),
  })
}

/** A new key as it is stored. */
export const keyRecord = (over: Partial<KeyRecord>): KeyRecord => ({
  ...{ id: 'key_1', workspaceId: 'w', prefix: 'vtr_000000', label: 'x', permissions: ['tasks:read'], quota: null },
  ...{
    networks: null,
    only: null,
    createdBy: 'test',
    createdAt: '2026-10-16T12:00:00.000Z',
    expiresAt: null,
    retiresAt: null,
  },
  ...{
    pausedAt: null,
    revokedAt: null,
    replaces: null,
    client: null,
    lastUsedAt: null,
    lastRefusal: null,
    leak: null,
    ...over,
  },
})

/** Its token is not known: the hash is that of its id. */
export const storeKey = (tx: Transaction, over: Partial<KeyRecord>): Promise<void> => {
  const key = keyRecord(over)
  return insertKey(tx, key, hash('sha256', key.id, 'hex'))
}

/** Adds keys until the workspace may have no more. */
export const fillWithKeys = (store: Pick<OperatorStore, 'transaction'>, workspaceId: string): Promise<void> =>
  store.transaction(async (tx) => {
    for (let n = await countOpenKeys(tx, workspaceId, tx.nowMs); n < MAX_OPEN_KEYS; n++)
      await storeKey(tx, { id: `key_${n}`, workspaceId })
  })
