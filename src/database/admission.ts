import { Lru } from '../lib/lru.ts'
import type { Quota, QuotaWindow } from '../lib/rate-windows.ts'

export interface QuotaColumns {
  rate_limit: number | null
  rate_window_seconds: number | null
}

export const quotaOf = (row: QuotaColumns): Quota | null =>
  row.rate_limit !== null && row.rate_window_seconds !== null
    ? { limit: row.rate_limit, windowSeconds: row.rate_window_seconds }
    : null

export const parsePermissions = (text: string): string[] => text.split(',')

/** Many keys share a few sets, but anyone who can edit a key can create any combination. */
const MAX_PERMISSION_SETS = 1000
const permissionSets = new Lru<ReadonlySet<string>>(MAX_PERMISSION_SETS)

const toSet = (text: string) => new Set(parsePermissions(text))

export const permissionSet = (text: string): ReadonlySet<string> => permissionSets.getOrCreate(text, toSet)

export interface Admission {
  keyId: string
  /** Whether the key is a program that someone connected by signing in. */
  isConnection: boolean
  workspaceId: string
  permissions: ReadonlySet<string>
  /** The rows that the key is limited to: see src/lists/only.ts. Null for all. */
  only: string | null
  quota: Quota
  window: QuotaWindow
  /** Whether the workspace exists and is not archived. */
  available: boolean
  revision: number
  /** The store's time, used for the whole request. */
  now: number
}

/** Why a key that exists is not admitted. An access token can expire before its connection does. */
export type KeyRefusalReason = 'revoked' | 'expired' | 'paused' | 'token_expired' | 'network'

export interface RefusedKey {
  keyId: string
  workspaceId: string
  reason: KeyRefusalReason
}

export type AdmissionResult = Admission | RefusedKey | undefined

/** The key's current access, looked up again after the request body has arrived. */
export type CurrentAccess = Pick<Admission, 'permissions' | 'only' | 'available' | 'revision' | 'now'>

/** /readyz looks up this hash. No key has it, so nothing is counted or cached. */
export const NO_KEY_HASH = 'readiness'
