import { hash } from 'node:crypto'
import type { OperatorStore, Transaction } from '../../src/database/store.ts'
import { countOpenKeys, insertKey, type KeyRecord, MAX_OPEN_KEYS } from '../../src/keys/records.ts'

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
