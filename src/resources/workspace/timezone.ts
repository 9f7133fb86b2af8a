import type { Viewpoint } from '../../database/queries.ts'
import type { PublicStore } from '../../database/store.ts'
import { workspace } from './contract.ts'

/** Null if the workspace has none; undefined if it is not there. */
export async function readTimezone(store: PublicStore, viewpoint: Viewpoint): Promise<string | null | undefined> {
  const reading = await workspace.read(store, viewpoint, {})
  if (reading === undefined) return undefined
  const body = JSON.parse(reading.body.toString()) as { workspace: { timezone: string | null } }
  return body.workspace.timezone
}
