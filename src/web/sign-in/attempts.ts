import { Windows } from '../../database/windows.ts'
import { networkOf } from '../../lib/network.ts'
import { PageError } from '../responses.ts'

const SIGN_IN = { limit: 30, windowSeconds: 600 }
/** A hosted client may refresh the tokens of many people from one network. */
const OF_A_CLIENT = { limit: 120, windowSeconds: 60 }

const limits = {
  link: SIGN_IN,
  oidc: SIGN_IN,
  'oidc-callback': SIGN_IN,
  registration: { limit: 30, windowSeconds: 600 },
  code: OF_A_CLIENT,
  revocation: OF_A_CLIENT,
}

/** Attempts by network. */
export class Attempts {
  readonly #windows: Windows
  readonly #clock: () => number

  constructor(clock: () => number, windows = new Windows(clock)) {
    this.#clock = clock
    this.#windows = windows
  }

  /** Only for requests from our own pages: another site could use up its visitors' attempts. */
  count(way: 'link' | 'oidc' | 'oidc-callback', address: string | undefined): void {
    const seconds = this.secondsToWait(way, address)
    if (seconds === 0) return
    throw new PageError(429, 'Too many sign-in attempts', `Wait ${Math.ceil(seconds / 60)} minutes, then try again.`, [
      'Retry-After',
      String(seconds),
    ])
  }

  /** Counts the attempt. Returns 0 if it is within the limit. */
  secondsToWait(way: keyof typeof limits, address: string | undefined): number {
    const now = this.#clock()
    const { used, resetsAt } = this.#windows.count(`attempt ${way} ${networkOf(address ?? '')}`, limits[way], now)
    return used <= limits[way].limit ? 0 : Math.max(1, Math.ceil((resetsAt - now) / 1000))
  }
}
