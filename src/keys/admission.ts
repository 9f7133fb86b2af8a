import type { Caller } from '../database/caller.ts'
import type { Admission, PublicStore, Quota } from '../database/store.ts'
import type { MaybePromise } from '../lib/maybe-promise.ts'
import type { ProblemCode } from '../problems/catalogue.ts'
import { ProblemError } from '../problems/problem.ts'
import { hashToken, isToken } from './token.ts'

/** What admission needs to know of a request. */
export interface AdmissionRequest {
  header(name: 'authorization'): string | undefined
  caller: Caller
  /** The same for all requests of a connection. */
  connection: object
}

/** The credentials that a connection sent last, and the key they belonged to when they were last admitted. */
interface CachedCredentials {
  readonly authorization: string
  readonly hash: string | undefined
  keyId: string | undefined
}

/** Has the form of credentials, so that a refusal is worded alike. No token is like it. */
const TRUSTED = 'Bearer trusted-connection'

/** A request that was admitted, and then got its response or was given up by its client. */
interface UsedRequest {
  caller: Caller
  /** Why it was refused, if it was. */
  refusal: ProblemCode | undefined
}

/** What the key itself is refused for. Other problems are about the request or the server: there the key worked. */
const REFUSALS: ReadonlySet<ProblemCode> = new Set(['rate_limited', 'forbidden', 'origin_not_allowed', 'unauthorized'])

const BEARER = /^bearer +(\S+) *$/i

export const bearerToken = (authorization: string): string | undefined => BEARER.exec(authorization)?.[1]

/** Whether a key was sent at all, valid or not. */
export const carriesToken = (authorization: string | undefined): boolean =>
  authorization !== undefined && bearerToken(authorization) !== undefined

export type KeyAdmission = ReturnType<typeof createAdmission>

const notValid = () => new ProblemError('unauthorized', 'The workspace key is not valid.')

/** Lets requests in by their keys. Unknown, expired, paused and revoked keys get the same response. */
export function createAdmission(store: PublicStore, defaultQuota: Quota) {
  /**
   * A connection sends the same key with every request, and checking and hashing it is a good part of a request's cost. So
   * the last credentials of each connection are cached as long as the connection lasts.
   */
  const last = new WeakMap<object, CachedCredentials>()

  /** The cached credentials of the request's connection, if this request sends the same ones. Asks nothing of the store. */
  function findCredentials(request: AdmissionRequest): CachedCredentials | undefined {
    const cached = last.get(request.connection)
    return cached !== undefined && cached.authorization === request.header('authorization') ? cached : undefined
  }

  function readCredentials(request: AdmissionRequest): CachedCredentials {
    const authorization = request.header('authorization')
    if (authorization === undefined)
      throw new ProblemError('unauthorized', 'The request has no Authorization header with a workspace key.')
    const token = bearerToken(authorization)
    if (token === undefined)
      throw new ProblemError('unauthorized', 'The Authorization header is not of the form "Bearer <key>".')
    const credentials = { authorization, hash: isToken(token) ? hashToken(token) : undefined, keyId: undefined }
    last.set(request.connection, credentials)
    return credentials
  }

  function remember(credentials: CachedCredentials, found: Admission | undefined): Admission {
    credentials.keyId = found?.keyId
    if (found === undefined) throw notValid()
    return found
  }

  return {
    findCredentials,
    /** Admits a request that carries a live key, and counts it. Whether it is within the quota is for the caller to decide. */
    admit(request: AdmissionRequest, tick: number, cached: CachedCredentials | undefined): MaybePromise<Admission> {
      const credentials = cached ?? readCredentials(request)
      const { hash } = credentials
      const found = hash === undefined ? undefined : store.admit(hash, defaultQuota, tick)
      return found instanceof Promise
        ? found.then((admission) => remember(credentials, admission))
        : remember(credentials, found)
    },
    /** Checks the key of an admitted request again, without counting it. */
    async readmit(request: AdmissionRequest, admission: Admission): Promise<Admission> {
      const { hash } = findCredentials(request) ?? readCredentials(request)
      const access = hash === undefined ? undefined : await store.recheck(hash)
      if (access === undefined) throw notValid()
      return { ...admission, ...access }
    },
    /** To be called once for each admitted request, with its first admission. */
    recordUse({ caller, refusal }: UsedRequest, { keyId, now }: Admission): void {
      store.recordUse(keyId, now, caller, refusal !== undefined && REFUSALS.has(refusal))
    },
    /**
     * Gives a connection the credentials of a key of which only the hash is known, for requests on a person's behalf. Returns the
     * Authorization header of its requests, which is worth nothing on any other connection.
     */
    trustConnection(connection: object, hash: string): string {
      last.set(connection, { authorization: TRUSTED, hash, keyId: undefined })
      return TRUSTED
    },
  }
}
