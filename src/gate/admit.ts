import { ProblemError } from '../problems/problem.ts'
import { andThen, type Soon } from '../soon.ts'
import type { Caller } from '../storage/caller.ts'
import type { Admission, PublicStore, Quota } from '../storage/store.ts'
import { hashToken, isToken } from './token.ts'

/** A request as it comes to the gate. */
export interface Arrival {
  header(name: 'authorization'): string | undefined
  caller: Caller
  /** The same for all requests of a connection. */
  connection: object
}

export type Admit = (arrival: Arrival, turn: number) => Soon<Admission>

/** Asks for the key of an admitted request once more, without counting it. */
export type Readmit = (arrival: Arrival, admission: Admission) => Soon<Admission>

const BEARER = /^bearer +(\S+) *$/i

export const bearerToken = (authorization: string): string | undefined => BEARER.exec(authorization)?.[1]

/** Whether a key was sent at all, valid or not. */
export const carriesToken = (authorization: string | undefined): boolean =>
  authorization !== undefined && bearerToken(authorization) !== undefined

/**
 * Lets a request pass if it carries a live key, having counted it. Whether the quota allows it is for the caller to
 * ask, who needs the window in either case. An unknown, an expired and a revoked key get the same answer.
 */
export function makeGate(store: PublicStore, defaultQuota: Quota): { admit: Admit; readmit: Readmit } {
  const hashOf = makeKeyReader()
  return {
    admit(arrival, turn) {
      const hash = hashOf(arrival.header('authorization'), arrival.connection)
      const look = hash === undefined ? undefined : store.admit(hash, defaultQuota, turn)
      return andThen(look, (admission) => {
        if (admission === undefined) throw notValid()
        store.recordUse(admission.keyId, admission.now, arrival.caller)
        return admission
      })
    },
    readmit(arrival, admission) {
      const hash = hashOf(arrival.header('authorization'), arrival.connection)
      return andThen(hash === undefined ? undefined : store.look(hash), (state) => {
        if (state === undefined) throw notValid()
        return { ...admission, ...state }
      })
    },
  }
}

const notValid = () => new ProblemError('unauthorized', 'The workspace key is not valid.')

/**
 * Gives the hash of the key that a request carries; undefined if that cannot be a key. A connection sends the same key
 * over and over, and to check and hash it is a good part of what a request costs: so what a connection sent last is kept
 * for as long as the connection.
 */
function makeKeyReader() {
  const last = new WeakMap<object, { authorization: string; hash: string | undefined }>()
  return (authorization: string | undefined, connection: object): string | undefined => {
    if (authorization === undefined)
      throw new ProblemError('unauthorized', 'The request has no Authorization header with a workspace key.')
    const known = last.get(connection)
    if (known?.authorization === authorization) return known.hash
    const token = bearerToken(authorization)
    if (token === undefined)
      throw new ProblemError('unauthorized', 'The Authorization header is not of the form "Bearer <key>".')
    const hash = isToken(token) ? hashToken(token) : undefined
    last.set(connection, { authorization, hash })
    return hash
  }
}
