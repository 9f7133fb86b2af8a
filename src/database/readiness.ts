import type { ReadingQueries, Stored } from './queries.ts'

/**
 * What /readyz asks: an admission and the reads behind it, with all their statements and privileges. No key has this
 * hash and no workspace this id, so nothing is counted, written or kept.
 */
export const NO_KEY_HASH = 'readiness'
const NO_WORKSPACE = ''

export async function tryReads(store: ReadingQueries, resources: readonly Stored[], now: number): Promise<void> {
  const viewpoint = { workspaceId: NO_WORKSPACE, now }
  await Promise.all(resources.map(({ read }) => read?.(store, viewpoint, {})))
}
