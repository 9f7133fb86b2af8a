import type { Transaction } from '../database/store.ts'
import { type AttentionKind, attentionKinds, attentionOf } from './attention.ts'
import { lastWarnings, useCounts, type WarningKind, warningKinds } from './history.ts'
import { type KeyPosition, type KeyRecord, type KeyUse, keysAfter, readKeySlice } from './records.ts'
import { isOpen, type KeyState, replacementsAmong, stateOf } from './state.ts'

/** What the states of keys are counted by: each key is in one of them. */
export const keyGroups = ['live', 'paused', 'rotating', 'expired', 'revoked'] as const
export const keyFilters = ['all', 'attention', ...keyGroups, ...attentionKinds] as const
export type KeyFilter = (typeof keyFilters)[number]

/** The key was sent where keys must not be. The request was refused; the key should be rotated. */
export interface KeyWarning {
  seen: WarningKind
  at: string
}

/** A key with what people should know of it. */
export interface JudgedKey extends KeyRecord, KeyUse {
  state: KeyState
  warnings: KeyWarning[]
  /** Why a person should look at it. */
  attention: AttentionKind[]
}

/** Some keys of a workspace: a slice of its list, or fewer. */
export async function judgeKeys(
  tx: Transaction,
  workspaceId: string,
  keys: readonly (KeyRecord & KeyUse)[],
  nowMs: number,
): Promise<JudgedKey[]> {
  if (keys.length === 0) return []
  // The state of a key that has ended does not depend on its successors.
  const open = keys.filter((key) => isOpen(key, nowMs)).map(({ id }) => id)
  const replacements = replacementsAmong(await keysAfter(tx, workspaceId, open))
  const ids = keys.map(({ id }) => id)
  const warnings = Map.groupBy(await lastWarnings(tx, { workspaceId, ids }), ({ keyId }) => keyId)
  return keys.map((key) => {
    const state = stateOf(key, replacements, nowMs)
    const own = warnings.get(key.id) ?? []
    const attention = attentionOf({ key, state, replacements, wasSeen: own.length > 0, nowMs })
    return { ...key, state, warnings: own.map(({ kind, at }) => ({ seen: kind, at })).sort(byKind), attention }
  })
}

const byKind = (a: KeyWarning, b: KeyWarning) => warningKinds.indexOf(a.seen) - warningKinds.indexOf(b.seen)

/** The filters that let a key through. */
export const filtersOf = ({ state: { kind }, attention }: Pick<JudgedKey, 'state' | 'attention'>): KeyFilter[] => [
  'all',
  kind === 'expiring' ? 'live' : kind,
  ...(attention.length > 0 ? (['attention', ...attention] as const) : []),
]

/** A key, with what a list of all keys shows of it. */
export interface ListedKey extends KeyRecord, KeyUse, Pick<JudgedKey, 'attention'> {
  useCount: number
  state: KeyState['kind']
}

/** Every key of a workspace in the order of creation, a slice at a time: all of them need not fit into memory. */
export async function* everyKey(tx: Transaction, workspaceId: string, nowMs: number): AsyncGenerator<ListedKey[]> {
  let after: KeyPosition | undefined
  do {
    const { keys, end } = await readKeySlice(tx, workspaceId, after, 'oldest first')
    if (keys.length === 0) return
    const uses = await useCounts(tx, { workspaceId, ids: keys.map(({ id }) => id) })
    yield (await judgeKeys(tx, workspaceId, keys, nowMs)).map(({ state, warnings: _, attention, ...key }) => ({
      ...key,
      useCount: uses.get(key.id) ?? 0,
      state: state.kind,
      attention,
    }))
    after = end
  } while (after !== undefined)
}
