import type { OperatorStore, Transaction } from '../database/store.ts'
import { findWorkspaceById } from '../resources/workspace/records.ts'
import { KeyChangeError, Keys } from './life-cycle.ts'
import { findKeyByHash } from './records.ts'
import { lifeOf } from './state.ts'

interface Leaked {
  hash: string
}

export type Verdict =
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

export async function lookUpLeaked(tx: Transaction, keys: readonly Leaked[]): Promise<Verdict[]> {
  const verdicts: Verdict[] = []
  for (const { hash } of keys) {
    const key = await findKeyByHash(tx, hash)
    if (key === undefined) {
      verdicts.push({ state: 'unknown' })
      continue
    }
    const { id, label, workspaceId, lastUsedAt } = key
    const workspace = (await findWorkspaceById(tx, workspaceId))?.slug ?? workspaceId
    verdicts.push({ state: lifeOf(key, tx.nowMs), id, label, workspace, lastUsedAt })
  }
  return verdicts
}

/** Revokes live and paused keys. Each change is audited, and stays if a later one fails. */
export async function revokeLeaked(store: OperatorStore, actor: string, keys: readonly Leaked[]): Promise<Verdict[]> {
  const revoked = new Set<string>()
  for (const verdict of await store.read((tx) => lookUpLeaked(tx, keys))) {
    if (verdict.state !== 'live' && verdict.state !== 'paused') continue
    try {
      await store.transaction((tx) => new Keys(tx, actor).revoke(verdict.id))
      revoked.add(verdict.id)
    } catch (error) {
      // Meanwhile, the key has expired or was revoked elsewhere.
      if (!(error instanceof KeyChangeError && error.reason === 'ended')) throw error
    }
  }
  const verdicts = await store.read((tx) => lookUpLeaked(tx, keys))
  return verdicts.map((each) => ('id' in each && revoked.has(each.id) ? { ...each, isRevokedNow: true } : each))
}
