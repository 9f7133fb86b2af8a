import type { Admission } from '../database/admission.ts'
import { localDate, UTC, zoneNamed } from '../lib/local-dates.ts'
import type { ResponseCache } from '../resources/response-cache.ts'
import { servedWorkspace } from '../workspaces/records.ts'

const CACHE_KEY = 'mcp zone'
/** Without the zone, which is shared by all workspaces. */
const WEIGHT_BYTES = 200

/** The zone is UTC if the workspace has no timezone or the runtime does not know it. */
const toWorkspaceZone = (timezone: string | null) => ({ timezone, zone: zoneNamed(timezone), weight: WEIGHT_BYTES })
export type WorkspaceZone = ReturnType<typeof toWorkspaceZone>

/** Also used for workspaces that are not available. */
export const NO_ZONE = toWorkspaceZone(null)

export async function workspaceZone(cache: ResponseCache, admission: Admission): Promise<WorkspaceZone> {
  const found = await cache.getOrRead(CACHE_KEY, admission, async (store, scope) => {
    const workspace = await servedWorkspace(store, scope)
    return workspace && { value: toWorkspaceZone(workspace.timezone), until: Number.POSITIVE_INFINITY }
  })
  return found ?? NO_ZONE
}

/** For a model that got a date wrong. */
export const todayIs = ({ timezone, zone }: WorkspaceZone, now: number): string =>
  `Today is ${localDate(zone, now)}, and a date begins at midnight in ${timezone === null || zone === UTC ? 'UTC' : timezone}.`
