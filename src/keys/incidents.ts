import type { Caller } from '../database/caller.ts'
import type { PublicStore } from '../database/store.ts'
import { decoded } from '../lib/redact.ts'
import type { ProblemCode } from '../problems/catalogue.ts'
import { bearerToken } from './admission.ts'
import { displayToken, hashToken, isToken, TOKEN_START } from './token.ts'

/** A request that has been answered. */
export interface Answered {
  /** Its `url` is as it was sent, with its query. */
  req: { url?: string | undefined }
  /** Asked for only where it matters: this runs for every request. */
  header(name: string): string | undefined
  /** Undefined if the request carried no live key. */
  keyId: string | undefined
  /** Why it was refused, if it was. */
  refusal: ProblemCode | undefined
  caller: Caller
}

export type Lookout = (answered: Answered) => void

/**
 * Watches answered requests for what the people who look after the keys should know: keys refused, and keys where no
 * key should be. It only takes notes; storage writes them down later.
 */
export function makeLookout(store: PublicStore, isForeignOrigin: (origin: string) => boolean): Lookout {
  return (answered) => {
    const { keyId, refusal, caller } = answered
    const url = answered.req.url ?? ''
    if (keyId !== undefined) {
      if (refusal === 'rate_limited') store.recordIncident({ kind: 'over_quota', keyId }, caller)
      else if (refusal === 'forbidden') store.recordIncident({ kind: 'forbidden', keyId }, caller)
      const origin = answered.header('origin')
      if (origin !== undefined && isForeignOrigin(origin)) store.recordIncident({ kind: 'browser', keyId }, caller)
    } else if (refusal === 'unauthorized') {
      const token = bearerToken(answered.header('authorization') ?? '')
      if (token?.startsWith(TOKEN_START)) {
        const hash = isToken(token) ? { hash: hashToken(token) } : {}
        store.recordIncident({ kind: 'unauthorized', ...hash, prefix: displayToken(token) }, caller)
      }
    }
    const shown = url.includes('%') ? (decoded(url) ?? '') : url
    if (shown.includes(TOKEN_START))
      for (const [token] of shown.matchAll(TOKENS))
        if (isToken(token)) store.recordIncident({ kind: 'url', hash: hashToken(token) }, caller)
  }
}

const TOKENS = new RegExp(`${TOKEN_START}[0-9A-Za-z]{49}`, 'g')
