import type { Caller } from '../database/caller.ts'
import type { Admission, PublicStore, Quota } from '../database/store.ts'
import type { MaybePromise } from '../lib/maybe-promise.ts'
import type { ProblemCode } from '../problems/catalogue.ts'
import { ProblemError } from '../problems/problem.ts'
import { hashToken, isToken } from './token.ts'

export interface AdmissionRequest {
  header(name: 'authorization'): string | undefined
  caller: Caller
  /** Identifies the connection: all its requests pass the same object. */
  connection: object
}

interface CachedCredentials {
  readonly authorization: string
  readonly hash: string | undefined
  keyId: string | undefined
}

/** Looks like credentials, so that refusals have the same wording. It can never be a valid token. */
const TRUSTED = 'Bearer trusted-connection'

interface UsedRequest {
  caller: Caller
  refusal: ProblemCode | undefined
}

/** Only these count as refusals of the key. Other problems are due to the request or the server. */
const REFUSALS: ReadonlySet<ProblemCode> = new Set(['rate_limited', 'forbidden', 'origin_not_allowed', 'unauthorized'])

const BEARER = /^bearer +(\S+) *$/i

export const bearerToken = (authorization: string): string | undefined => BEARER.exec(authorization)?.[1]

export const carriesToken = (authorization: string | undefined): boolean =>
  authorization !== undefined && bearerToken(authorization) !== undefined

export type KeyAdmission = ReturnType<typeof createAdmission>

const notValid = () => new ProblemError('unauthorized', 'The workspace key is not valid.')

/** Unknown, expired, paused and revoked keys, and those used from another network, all get the same response. */
export function createAdmission(store: PublicStore, defaultQuota: Quota) {
  /** Caches each connection's last credentials: checking and hashing a key is a good part of a request's cost. */
  const last = new WeakMap<object, CachedCredentials>()

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
      throw new ProblemError('unauthorized', 'The Authorization header does not have the form "Bearer <key>".')
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
    /** Also counts the request. The caller decides whether it is within the quota. */
    admit(request: AdmissionRequest, tick: number, cached: CachedCredentials | undefined): MaybePromise<Admission> {
      const credentials = cached ?? readCredentials(request)
      const { hash } = credentials
      const found = hash === undefined ? undefined : store.admit(hash, defaultQuota, tick, request.caller.address)
      return found instanceof Promise
        ? found.then((admission) => remember(credentials, admission))
        : remember(credentials, found)
    },
    /** Checks the key again without counting the request. */
    async readmit(request: AdmissionRequest, admission: Admission): Promise<Admission> {
      const { hash } = findCredentials(request) ?? readCredentials(request)
      const access = hash === undefined ? undefined : await store.recheck(hash, request.caller.address)
      if (access === undefined) throw notValid()
      return { ...admission, ...access }
    },
    recordUse({ caller, refusal }: UsedRequest, { keyId, now }: Admission): void {
      store.recordUse(keyId, now, caller, refusal !== undefined && REFUSALS.has(refusal))
    },
    /** Lets a connection use a key known only by its hash. The header is useless on other connections. */
    trustConnection(connection: object, hash: string): string {
      last.set(connection, { authorization: TRUSTED, hash, keyId: undefined })
      return TRUSTED
    },
  }
}
