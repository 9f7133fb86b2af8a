import { formatQuota, remaining, secondsToReset } from '../gate/quota.ts'
import type { Admission, Quota } from '../storage/store.ts'

/** The policy, for every response of the API. */
export const policyHeaders = (quota: Quota): readonly string[] => [
  'RateLimit-Limit',
  String(quota.limit),
  'RateLimit-Policy',
  formatQuota(quota),
]

/** The policy and the state of the window, wherever a key was recognised. */
export const windowHeaders = ({ quota, window, now }: Admission): string[] => [
  ...policyHeaders(quota),
  'RateLimit-Remaining',
  String(remaining(quota, window)),
  'RateLimit-Reset',
  String(secondsToReset(window, now)),
]
