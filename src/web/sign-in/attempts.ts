import { Windows } from '../../database/windows.ts'
import { networkOf } from '../../lib/network.ts'
import { PageError } from '../responses.ts'

const LIMIT = { limit: 30, windowSeconds: 600 }
/** Count only requests from our own pages: another site could use up its visitors' attempts. */
export class Attempts {
  readonly #windows: Windows
  readonly #clock: () => number

  constructor(clock: () => number, windows = new Windows(clock)) {
    this.#clock = clock
    this.#windows = windows
  }

  count(way: 'link' | 'oidc' | 'oidc-callback', address: string | undefined): void {
    const now = this.#clock()
    const { used, resetsAt } = this.#windows.count(`sign-in ${way} ${networkOf(address ?? '')}`, LIMIT, now)
    if (used <= LIMIT.limit) return
    const seconds = Math.max(1, Math.ceil((resetsAt - now) / 1000))
    throw new PageError(429, 'Too many sign-in attempts', `Wait ${Math.ceil(seconds / 60)} minutes, then try again.`, [
      'Retry-After',
      String(seconds),
    ])
  }
}
