import type { Caller } from './caller.ts'

/**
 * A known key is identified by its id; any other by its hash, or by its prefix, which survives in a damaged copy. It is looked up when
 * the batch is written.
 */
export type KeyReference = { keyId: string } | { hash: string } | { prefix: string }

/** The unsafe place that a key was sent in. */
export type LeakPlace = 'url' | 'browser'

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
  requests: number
  /** Undefined if another process held the write lock the whole time. */
  cause: unknown
}
