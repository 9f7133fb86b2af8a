import type { OperatorStore, Transaction } from '../database/store.ts'
import { findWorkspaceById } from '../workspaces/records.ts'
import { KeyChangeError, Keys } from './life-cycle.ts'
import { findKeyByHash } from './records.ts'
import { lifeOf } from './state.ts'

export type LeakedKeyState =
  /** The key belongs to another instance, or to a workspace deleted long ago. */
  | { state: 'unknown' }
  | {
      state: 'live' | 'paused' | 'expired' | 'revoked'
      id: string
      label: string
      workspace: string
      lastUsedAt: string | null
      isRevokedNow?: true
    }

export const lookUpLeaked = (tx: Transaction, keys: readonly { hash: string }[]): Promise<LeakedKeyState[]> =>
  Array.fromAsync(keys, ({ hash }) => stateOfLeaked(tx, hash))

async function stateOfLeaked(tx: Transaction, hash: string): Promise<LeakedKeyState> {
  const key = await findKeyByHash(tx, hash)
  if (key === undefined) return { state: 'unknown' }
  const { id, label, workspaceId, lastUsedAt } = key
  const workspace = (await findWorkspaceById(tx, workspaceId))?.slug ?? workspaceId
  return { state: lifeOf(key, tx.nowMs), id, label, workspace, lastUsedAt }
}

/** Revokes live and paused keys, up to the first that fails. Each change is audited, and stays if a later one fails. */
export async function revokeLeaked(store: OperatorStore, actor: string, keys: readonly { hash: string }[]) {
  const revoked = new Set<string>()
  let failure: unknown
  const before = await store.read((tx) => lookUpLeaked(tx, keys))
  for (const key of before) {
    if (key.state !== 'live' && key.state !== 'paused') continue
    try {
      await store.transaction((tx) => new Keys(tx, actor).revoke(key.id))
      revoked.add(key.id)
    } catch (error) {
      // The key may have expired meanwhile, or have been revoked elsewhere.
      if (error instanceof KeyChangeError && error.reason === 'ended') continue
      failure = error
      break
    }
  }
  const states = await store
    .read((tx) => lookUpLeaked(tx, keys))
    .catch((error: unknown) => {
      failure ??= error
      return before
    })
  const matches = states.map(
    (key): LeakedKeyState =>
      'id' in key && revoked.has(key.id) ? { ...key, state: 'revoked', isRevokedNow: true } : key,
  )
  return { matches, failure }
}
