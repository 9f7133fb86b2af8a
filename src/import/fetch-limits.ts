/** What a server may make us wait for, and how much it may send. */
export interface FetchLimits {
  /** Until the host is found, the connection is open and its certificate checked. */
  connectMs: number
  /** Until the head of the response: some exports are computed when they are asked for. */
  responseMs: number
  /** Between two chunks of the body. */
  stallMs: number
  /** For all of it: a server that sends a byte now and then would never stall. */
  totalMs: number
  /** Of the body, both as it was sent and decompressed. Three times a million tasks of usual length. */
  bytes: number
}

export const FETCH_LIMITS: FetchLimits = {
  connectMs: 15_000,
  responseMs: 120_000,
  stallMs: 60_000,
  totalMs: 3_600_000,
  bytes: 1024 ** 3,
}
