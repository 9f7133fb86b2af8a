import type { Caller } from '../database/caller.ts'
import type { Admission, PublicStore, Quota } from '../database/store.ts'
import { andThen, type Soon } from '../lib/soon.ts'
import { ProblemError } from '../problems/problem.ts'
import { hashToken, isToken } from './token.ts'

/** A request as it comes to the gate. */
export interface Arrival {
  header(name: 'authorization'): string | undefined
  caller: Caller
  /** The same for all requests of a connection. */
  connection: object
}

/** What a connection sent as its key, and whose that was when it was admitted last. */
export interface PresentedKey {
  readonly authorization: string
  readonly hash: string | undefined
  keyId: string | undefined
}

/** What the connection of a request sent before, if this request sends the same. Nothing is looked up in the store. */
export type Recall = (arrival: Arrival) => PresentedKey | undefined

export type Admit = (arrival: Arrival, turn: number, recalled: PresentedKey | undefined) => Soon<Admission>

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
export function makeGate(store: PublicStore, defaultQuota: Quota): { recall: Recall; admit: Admit; readmit: Readmit } {
  const { recall, read } = makeKeyReader()
  return {
    recall,
    admit(arrival, turn, recalled) {
      const presented = recalled ?? read(arrival)
      const look = presented.hash === undefined ? undefined : store.admit(presented.hash, defaultQuota, turn)
      return andThen(look, (admission) => {
        presented.keyId = admission?.keyId
        if (admission === undefined) throw notValid()
        store.recordUse(admission.keyId, admission.now, arrival.caller)
        return admission
      })
    },
    readmit(arrival, admission) {
      const { hash } = recall(arrival) ?? read(arrival)
      return andThen(hash === undefined ? undefined : store.recheck(hash), (state) => {
        if (state === undefined) throw notValid()
        return { ...admission, ...state }
      })
    },
  }
}

const notValid = () => new ProblemError('unauthorized', 'The workspace key is not valid.')

/**
 * Reads the key that a request carries. A connection sends the same key over and over, and to check and hash it is a good
 * part of what a request costs: so what a connection sent last is kept for as long as the connection.
 */
function makeKeyReader(): { recall: Recall; read: (arrival: Arrival) => PresentedKey } {
  const last = new WeakMap<object, PresentedKey>()
  return {
    recall(arrival) {
      const known = last.get(arrival.connection)
      return known !== undefined && known.authorization === arrival.header('authorization') ? known : undefined
    },
    read(arrival) {
      const authorization = arrival.header('authorization')
      if (authorization === undefined)
        throw new ProblemError('unauthorized', 'The request has no Authorization header with a workspace key.')
      const token = bearerToken(authorization)
      if (token === undefined)
        throw new ProblemError('unauthorized', 'The Authorization header is not of the form "Bearer <key>".')
      const presented = { authorization, hash: isToken(token) ? hashToken(token) : undefined, keyId: undefined }
      last.set(arrival.connection, presented)
      return presented
    },
  }
}
