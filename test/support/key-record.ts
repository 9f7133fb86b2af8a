import { hash } from 'node:crypto'
import type { Transaction } from '../../src/database/store.ts'
import { insertKey, type KeyRecord } from '../../src/keys/records.ts'

/** A new key as it is stored. */
export const keyRecord = (over: Partial<KeyRecord>): KeyRecord => ({
  ...{ id: 'key_1', workspaceId: 'w', prefix: 'vtr_000000', label: 'x', permissions: ['tasks:read'], quota: null },
  ...{ networks: null, createdBy: 'test', createdAt: '2026-10-16T12:00:00.000Z', expiresAt: null, retiresAt: null },
  ...{ pausedAt: null, revokedAt: null, replaces: null, client: null, lastUsedAt: null, ...over },
})

/** Its token is not known: the hash is that of its id. */
export const storeKey = (tx: Transaction, over: Partial<KeyRecord>): Promise<void> => {
  const key = keyRecord(over)
  return insertKey(tx, key, hash('sha256', key.id, 'hex'))
}
