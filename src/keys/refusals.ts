/** Why requests of a key are counted as refused. The most informative come first. */
export const refusalText = {
  over_quota: 'over its limit',
  forbidden: 'not permitted',
  network: 'from another network',
  damaged: 'with a damaged key',
  unknown: 'with an unknown key',
  browser: 'sent by a browser',
  reused: 'with a token that was used before',
  paused: 'while paused',
  expired: 'after its expiry',
  revoked: 'after it was revoked',
} as const

export type CountedReason = keyof typeof refusalText
