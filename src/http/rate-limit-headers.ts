import type { Admission, Quota } from '../database/store.ts'
import { formatQuota, remaining, secondsToReset } from '../keys/quota.ts'

/** Adds the policy, for every response of the API. */
export function addPolicy(headers: string[], quota: Quota): void {
  headers.push('RateLimit-Limit', String(quota.limit), 'RateLimit-Policy', formatQuota(quota))
}

/** Adds the policy and the state of the window, wherever a key was recognised. */
export function addWindow(headers: string[], { quota, window, now }: Admission): void {
  addPolicy(headers, quota)
  headers.push('RateLimit-Remaining', String(remaining(quota, window)))
  headers.push('RateLimit-Reset', String(secondsToReset(quota, window, now)))
}
