import type { KeyRefusalReason } from '../admission.ts'
import type { Caller } from './caller.ts'

/** Why a key was rejected, or the unsafe place it was sent in: a URL or a browser. A connection's token was `reused`. */
export type IncidentKind =
  | Exclude<KeyRefusalReason, 'token_expired'>
  | ('unknown' | 'over_quota' | 'forbidden' | 'reused' | 'url' | 'browser')

/**
 * A known key is identified by its id; any other by its hash, or by its prefix, which survives in a damaged copy. An expired
 * token is not an incident, because its client exchanges it for another, but its requests are logged.
 */
export interface KeyIncident {
  kind: IncidentKind | 'token_expired'
  keyId?: string
  hash?: string
  prefix?: string
}

/** What the request log shows of a request. It names arguments, and never has their values. */
export interface RequestFacts {
  requestId: string
  caller: Caller
  /** The method and path. */
  operation: string
  tool: string | undefined
  argumentNames: string | undefined
  /** `gone` if the client disconnected. */
  status: number | 'gone'
  errorCode: string | undefined
  refusalReason: string | undefined
  ms: number
  bytes: number
}

export interface LostRecords {
  uses: number
  keys: number
  incidents: number
  /** Undefined if another process held the write lock the whole time. */
  cause: unknown
}
