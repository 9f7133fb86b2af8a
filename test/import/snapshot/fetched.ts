import { fetchSnapshot, type SnapshotOptions } from '../../../src/import/snapshot/fetch.ts'
import { FETCH_LIMITS, type FetchLimits } from '../../../src/import/snapshot/response-body.ts'

/** The usual limits, some of them changed. */
export const limits = (changed: Partial<FetchLimits>): { limits: FetchLimits } => ({
  limits: { ...FETCH_LIMITS, ...changed },
})

export const fetched = async (url: URL, options?: SnapshotOptions): Promise<string> =>
  Buffer.concat(await Array.fromAsync((await fetchSnapshot(url, options)).chunks)).toString()
