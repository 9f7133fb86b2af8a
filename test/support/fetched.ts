import assert from 'node:assert/strict'
import { fetchSnapshot, type Snapshot, type SnapshotOptions } from '../../src/import/snapshot/fetch.ts'
import { FETCH_LIMITS, type FetchLimits } from '../../src/import/snapshot/response-body.ts'

/** The usual limits, some of them changed. */
export const limits = (changed: Partial<FetchLimits>): { limits: FetchLimits } => ({
  limits: { ...FETCH_LIMITS, ...changed },
})

export async function opened(url: URL, options?: SnapshotOptions): Promise<Snapshot> {
  const snapshot = await fetchSnapshot(url, options)
  assert.ok(snapshot !== 'not modified')
  return snapshot
}

export const fetched = async (url: URL, options?: SnapshotOptions): Promise<string> =>
  Buffer.concat(await Array.fromAsync((await opened(url, options)).chunks)).toString()
