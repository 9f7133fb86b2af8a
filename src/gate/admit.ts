import { ProblemError } from '../problems/problem.ts'
import { andThen, type Soon } from '../soon.ts'
import type { Caller } from '../storage/caller.ts'
import type { Admission, PublicStore, Quota } from '../storage/store.ts'
import { hashToken, isToken } from './token.ts'

export type Admit = (authorization: string | undefined, turn: number, caller: Caller) => Soon<Admission>

const BEARER = /^bearer +(\S+) *$/i

export const bearerToken = (authorization: string): string | undefined => BEARER.exec(authorization)?.[1]

/** Whether a key was sent at all, valid or not. */
export const carriesToken = (authorization: string | undefined): boolean =>
  authorization !== undefined && bearerToken(authorization) !== undefined

/**
 * Lets a request pass if it carries a live key, having counted it. Whether the quota allows it is for the caller to
 * ask, who needs the window in either case. An unknown, an expired and a revoked key get the same answer.
 */
export function makeAdmit(store: PublicStore, defaultQuota: Quota): Admit {
  return (authorization, turn, caller) => {
    if (authorization === undefined)
      throw new ProblemError('unauthorized', 'The request has no Authorization header with a workspace key.')
    const token = bearerToken(authorization)
    if (token === undefined)
      throw new ProblemError('unauthorized', 'The Authorization header is not of the form "Bearer <key>".')
    const look = isToken(token) ? store.admit(hashToken(token), defaultQuota, turn) : undefined
    return andThen(look, (admission) => {
      if (admission === undefined) throw new ProblemError('unauthorized', 'The workspace key is not valid.')
      store.recordUse(admission.keyId, admission.now, caller)
      return admission
    })
  }
}
