import { PRUNED, type StoredEntry } from './log.ts'

/** What the newest entry of its kind says: up to which entry the chain was removed because of its age, and when. */
export interface Prune {
  through: number
  hash: string
  at: string
}

/** Undefined for an entry of another kind, and for one that somebody forged. */
export function pruneOf({ action, at, detail }: StoredEntry): Prune | undefined {
  if (action !== PRUNED) return undefined
  try {
    const { through, hash } = JSON.parse(detail) as Prune
    return { through, hash, at }
  } catch {
    return undefined
  }
}
