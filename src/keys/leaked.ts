import type { OperatorStore, ReadingStore } from '../database/store.ts'
import { findWorkspaceById } from '../resources/workspace/records.ts'
import { KeyChangeError } from './change-error.ts'
import { Keys } from './life-cycle.ts'
import { findKeyByHash } from './records.ts'
import { lifeOf } from './state.ts'

/** A key that was found where it must not be, by its hash. */
interface Leaked {
  hash: string
}

/** What the database knows of a key that was found. */
export type Verdict =
  /** Of another instance, or of a workspace that was deleted long ago. */
  | { state: 'unknown' }
  | {
      state: 'live' | 'paused' | 'expired' | 'revoked'
      id: string
      label: string
      workspace: string
      lastUsedAt: string | null
      /** Whether this scan revoked it. */
      isRevokedNow?: true
    }

/** In the order of the keys. */
export const judgeFound = (store: ReadingStore, keys: readonly Leaked[]): Promise<Verdict[]> =>
  store.read(async (tx) => {
    const verdicts: Verdict[] = []
    for (const { hash } of keys) {
      const key = await findKeyByHash(tx, hash)
      if (key === undefined) {
        verdicts.push({ state: 'unknown' })
        continue
      }
      const { id, label, workspaceId, lastUsedAt } = key
      const workspace = (await findWorkspaceById(tx, workspaceId))?.slug ?? workspaceId
      verdicts.push({ state: lifeOf(key, Date.now()), id, label, workspace, lastUsedAt })
    }
    return verdicts
  })

/** Revokes those that work, now or once they are resumed. Each change is audited, and stays if a later one fails. */
export async function revokeFound(store: OperatorStore, actor: string, keys: readonly Leaked[]): Promise<Verdict[]> {
  const revoked = new Set<string>()
  for (const verdict of await judgeFound(store, keys)) {
    if (verdict.state !== 'live' && verdict.state !== 'paused') continue
    try {
      await store.transaction((tx) => new Keys(tx, actor).revoke(verdict.id))
      revoked.add(verdict.id)
    } catch (error) {
      // It has just been revoked elsewhere, or has expired.
      if (!(error instanceof KeyChangeError && error.reason === 'ended')) throw error
    }
  }
  const verdicts = await judgeFound(store, keys)
  return verdicts.map((each) => ('id' in each && revoked.has(each.id) ? { ...each, isRevokedNow: true } : each))
}
