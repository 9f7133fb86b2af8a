import { PRUNED, type StoredEntry } from './log.ts'

/** What the newest entry of its kind says: up to which entry the chain was removed because of its age, and when. */
export interface Prune {
  through: number
  hash: string
  at: string
}

/** Undefined for an entry of another kind, and for a forged one: no entry can announce its own removal. */
export function pruneOf({ action, at, detail, number }: StoredEntry): Prune | undefined {
  if (action !== PRUNED) return undefined
  try {
    const { through, hash } = JSON.parse(detail) as Prune
    return Number.isSafeInteger(through) && through < number ? { through, hash, at } : undefined
  } catch {
    return undefined
  }
}
