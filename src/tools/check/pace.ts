import { Skip } from './outcome.ts'
import type { HttpResponse } from './response.ts'

/** Of the key's quota, this share is left to whoever else uses the key. */
const OTHERS_SHARE = 1 / 4
/** In all. A key whose quota would take longer is checked as far as it goes. */
const MAX_WAITING_MS = 5 * 60_000
/** Without the headers that tell, a request of this many is answered with 429 on no usual quota. */
const UNKNOWN = { remaining: Number.POSITIVE_INFINITY, limit: Number.POSITIVE_INFINITY, resetSeconds: 60 }

/** Keeps the check from using up the quota of the key. */
export class Pace {
  private window = UNKNOWN
  private waitedMs = 0
  private readonly onWait: (seconds: number, reason: string) => void
  private readonly sleep: (ms: number) => Promise<void>

  constructor(onWait: (seconds: number, reason: string) => void, sleep: (ms: number) => Promise<void>) {
    this.onWait = onWait
    this.sleep = sleep
  }

  /** Waits for the next window if this one has only the others' share left. */
  async beforeRequest(): Promise<void> {
    const { remaining, limit, resetSeconds } = this.window
    if (remaining > shareOf(limit)) return
    await this.wait(resetSeconds, `the key has ${remaining} of ${limit} requests left in this window`)
    this.window = UNKNOWN
  }

  note({ headers }: Pick<HttpResponse, 'headers'>): void {
    const [remaining, limit, resetSeconds] = ['remaining', 'limit', 'reset'].map((name) =>
      Number.parseInt(headers[`ratelimit-${name}`] ?? '', 10),
    ) as [number, number, number]
    if (Number.isNaN(remaining + limit + resetSeconds)) return
    this.window = { remaining, limit, resetSeconds: Math.max(1, resetSeconds) }
  }

  /** After a 429: others use the key too, or a proxy has a limit of its own. */
  async afterRefusal({ headers }: Pick<HttpResponse, 'headers'>): Promise<void> {
    const seconds = Number.parseInt(headers['retry-after'] ?? '', 10)
    await this.wait(Number.isNaN(seconds) ? 10 : Math.max(1, seconds), 'the server answered 429')
    this.window = UNKNOWN
  }

  private async wait(seconds: number, reason: string): Promise<void> {
    if (this.waitedMs + seconds * 1000 > MAX_WAITING_MS)
      throw new Skip(
        `${reason}; waiting for more would take over ${MAX_WAITING_MS / 60_000} minutes: use a key with a larger quota`,
      )
    this.onWait(seconds, reason)
    this.waitedMs += seconds * 1000
    await this.sleep(seconds * 1000)
  }
}

/** Of a quota of less than four, nothing can be left over. */
const shareOf = (limit: number): number => (Number.isFinite(limit) ? Math.floor(limit * OTHERS_SHARE) : 0)
