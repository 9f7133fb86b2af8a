/**
 * src/keys: who may read a workspace, which parts of it, how often, and until when.
 *
 * A key is a token (src/lib/key-format.ts) that is shown once; the database stores only its hash. Its record (records.ts) belongs to one
 * workspace and holds the permissions, the quota, the expiry, the networks from which it can be used and, after a rotation, the key
 * that it replaces. A program that a person connects by signing in has a key too, with other tokens (src/connections).
 *
 * How a request is admitted (this file): the token's checksum is verified, then the key is looked up once, by hash. The result
 * shows whether the key is live, what it may read and how much of its quota is used. On PostgreSQL that is a query for each
 * request; a SQLite server caches keys until another connection commits. So a revoked or paused key is refused on the very next
 * request, on every replica. Requests (record-requests.ts) are recorded in batches, off the request path.
 *
 * How a key changes (life-cycle.ts): `Keys` works in a given transaction. Each change locks the key, checks its current state, writes,
 * and appends an audit entry. A form that creates a key carries a ticket (src/web/form.ts): the transaction finds the ticket,
 * creates the key, and stores the key with the ticket, so submitting a form twice creates only one key.
 *
 * Key states (state.ts): live → paused ⇄ live → expired or revoked. A rotation creates a successor and sets `retiresAt`, when the
 * old key stops working; cancelling the rotation revokes the successors. Admission uses `lifeOf`; pages show `stateOf`.
 *
 * The types of a key:
 *   KeyRecord            as it is stored, with its last use (records.ts)
 *   EvaluatedKey         a KeyRecord with its state, and why it needs attention (evaluate.ts)
 *   KeyOverview          an EvaluatedKey with its use in 14 days (overview.ts)
 *   KeyDetail            a KeyOverview with its use in 30 days, its callers, its predecessor and its successors
 *   NewKey, KeyUpdate    what is written (life-cycle.ts)
 *   KeySpec              what an operator asks for, in options or in a file (key-spec.ts)
 *   Admission            what a request needs to know about its key (src/database/admission.ts)
 *
 * Invariants:
 * - Neither the token nor anything that it could be computed from is stored, logged or shown again.
 * - An ended key stays ended: the database refuses to undo a revocation or to extend an expired key.
 * - A change and its audit entry are in one transaction. Entries are appended last, which avoids deadlocks.
 * - All keys that are not live get the same response, whatever the reason.
 * - A workspace has at most MAX_OPEN_KEYS keys that have not ended (life-cycle.ts), so that one read covers them all.
 *
 * Risks:
 * - Two replicas change one key: the lock serializes them, and the second may find that the key has ended (`KeyChangeError`).
 * - A clock that is ahead would expire and purge keys early. Changes use the database's time, and purging (purge.ts) removes
 *   nothing that ended after the latest time recorded in the database.
 * - A direct write to the table can create a cycle of replacements: `successorsOf` still terminates.
 */

import type { Admission, AdmissionResult, KeyRefusalReason, RefusedKey } from '../database/admission.ts'
import type { PublicStore } from '../database/store.ts'
import type { Caller } from '../database/usage/caller.ts'
import { displayedIn, hashToken, isToken } from '../lib/key-format.ts'
import type { ProblemCode } from '../problems/catalogue.ts'
import { ProblemError } from '../problems/problem.ts'

interface AdmissionRequest {
  authorization: string | undefined
  caller: Caller
  /** Identifies the connection: all its requests pass the same object. */
  connection: object
}

/** The ids are set if the key exists. */
export type KeyRefusal = RefusedKey | { reason: 'missing' | 'damaged' | 'unknown'; keyId?: never; workspaceId?: never }

/** A key as a request sent it. The id is set once it has been admitted. */
export interface SentKey {
  readonly authorization: string
  readonly hash: string
  keyId: string | undefined
}

/** `missing`: no bearer token. `damaged`: not a key. `unknown`: there is no such key. */
export type RefusalReason =
  | KeyRefusalReason
  | 'missing'
  | 'damaged'
  | 'unknown'
  | 'over_quota'
  | 'forbidden'
  | 'browser'

/** Only these and `unauthorized` count as refusals of the key. Other problems are due to the request or the server. */
export const refusalReasonByCode: Partial<Record<ProblemCode, RefusalReason>> = {
  rate_limited: 'over_quota',
  forbidden: 'forbidden',
  origin_not_allowed: 'browser',
}

const BEARER = /^bearer +(\S+) *$/i

export const bearerToken = (authorization: string): string | undefined => BEARER.exec(authorization)?.[1]

export const carriesToken = (authorization: string | undefined): boolean =>
  authorization !== undefined && bearerToken(authorization) !== undefined

export type KeyGate = ReturnType<typeof createKeyGate>

/** Carries why the key is not admitted, which the response does not say. */
export class KeyRefusedError extends ProblemError {
  readonly refusal: KeyRefusal

  constructor(refusal: KeyRefusal, detail = 'The workspace key is not valid.', hint?: string) {
    super('unauthorized', detail, hint)
    this.refusal = refusal
  }
}

/** Also percent-encoded, and typographic ones, whose UTF-8 is read as Latin-1. */
const QUOTE = /["'`]|%2[27]|\u00e2\u0080[\u0098-\u009f]/
const WITHOUT_QUOTES =
  'Remove the quotes from the header: send Authorization: Bearer <key>. Some programs keep the quotes around a value in a file of settings.'

/**
 * Unknown, expired, paused and revoked keys, those used from another network, and connections while connecting is disabled, all get the
 * same response.
 */
export function createKeyGate(store: Pick<PublicStore, 'recheck'>, admitsConnections: boolean) {
  /** By connection: checking and hashing a key is a good part of a request's cost. */
  const lastKeys = new WeakMap<object, SentKey>()

  return {
    /** The last key on this connection, if this request sends the same one. */
    lastKey(request: AdmissionRequest): SentKey | undefined {
      const last = lastKeys.get(request.connection)
      return last?.authorization === request.authorization ? last : undefined
    },

    /** Looks nothing up. */
    readKey(request: AdmissionRequest): SentKey {
      const { authorization } = request
      if (authorization === undefined) {
        const detail = 'The request has no Authorization header with a workspace key.'
        throw new KeyRefusedError({ reason: 'missing' }, detail)
      }
      const token = bearerToken(authorization)
      const hint = QUOTE.test(authorization) ? WITHOUT_QUOTES : undefined
      if (token === undefined) {
        const reason = displayedIn(authorization) === undefined ? 'missing' : 'damaged'
        const detail = 'The Authorization header does not have the form "Bearer <key>".'
        throw new KeyRefusedError({ reason }, detail, hint)
      }
      if (!isToken(token)) throw new KeyRefusedError({ reason: 'damaged' }, undefined, hint)
      const key = { authorization, hash: hashToken(token), keyId: undefined }
      lastKeys.set(request.connection, key)
      return key
    },

    /** `found` is what the store has admitted and counted. The caller decides whether it is within the quota. */
    admit(key: SentKey, found: AdmissionResult): Admission {
      const refusal = found !== undefined && 'reason' in found ? found : undefined
      const admission = found !== undefined && !('reason' in found) ? found : undefined
      const isAdmitted = admission !== undefined && (admitsConnections || !admission.isConnection)
      key.keyId = isAdmitted ? admission.keyId : undefined
      if (!isAdmitted) throw new KeyRefusedError(refusal ?? { reason: 'unknown' })
      return admission
    },

    /** Checks the key again, without counting the request. */
    readmission: (request: AdmissionRequest, key: SentKey, admission: Admission) => async (): Promise<Admission> => {
      const access = await store.recheck(key.hash, request.caller.address)
      if (access === undefined || 'reason' in access) throw new KeyRefusedError(access ?? { reason: 'unknown' })
      return { ...admission, ...access }
    },
  }
}
