import type { Caller } from '../database/caller.ts'
import type { Admission, AdmissionResult, PublicStore, Quota, RequestReport } from '../database/store.ts'
import { type MaybePromise, whenReady } from '../lib/maybe-promise.ts'
import type { ProblemCode } from '../problems/catalogue.ts'
import { ProblemError } from '../problems/problem.ts'
import { hashToken, isToken } from './token.ts'

interface AdmissionRequest {
  header(name: 'authorization'): string | undefined
  caller: Caller
  /** Identifies the connection: all its requests pass the same object. */
  connection: object
  /** Receives why the key is not admitted. */
  notAdmitted: NotAdmitted | undefined
}

/** The ids are set if the key exists. */
export interface NotAdmitted {
  refused: Refusal
  keyId?: string
  workspaceId?: string
}

interface CachedCredentials {
  readonly authorization: string
  readonly hash: string | undefined
  keyId: string | undefined
}

/** Looks like credentials, so that refusals have the same wording. It can never be a valid token. */
const TRUSTED = 'Bearer trusted-connection'

/** `missing`: no bearer token. `damaged`: not a key. `unknown`: there is no such key. */
export const refusals = [
  ...(['missing', 'damaged', 'unknown', 'revoked', 'expired', 'paused', 'token_expired', 'network'] as const),
  ...(['over_quota', 'forbidden', 'browser'] as const),
] as const
export type Refusal = (typeof refusals)[number]

/** Only these and `unauthorized` count as refusals of the key. Other problems are due to the request or the server. */
export const refusedBy: Partial<Record<ProblemCode, Refusal>> = {
  rate_limited: 'over_quota',
  forbidden: 'forbidden',
  origin_not_allowed: 'browser',
}

const BEARER = /^bearer +(\S+) *$/i

export const bearerToken = (authorization: string): string | undefined => BEARER.exec(authorization)?.[1]

export const carriesToken = (authorization: string | undefined): boolean =>
  authorization !== undefined && bearerToken(authorization) !== undefined

export type KeyAdmission = ReturnType<typeof createAdmission>

function refuse(request: AdmissionRequest, why: NotAdmitted, detail = 'The workspace key is not valid.'): never {
  request.notAdmitted = why
  throw new ProblemError('unauthorized', detail)
}

const MISSING: NotAdmitted = { refused: 'missing' }
const DAMAGED: NotAdmitted = { refused: 'damaged' }
const UNKNOWN: NotAdmitted = { refused: 'unknown' }

/**
 * Unknown, expired, paused and revoked keys, those used from another network, and connections while there are none, all get the
 * same response.
 */
export function createAdmission(store: PublicStore, defaultQuota: Quota, admitsConnections: boolean) {
  /** Caches each connection's last credentials: checking and hashing a key is a good part of a request's cost. */
  const last = new WeakMap<object, CachedCredentials>()

  function findCredentials(request: AdmissionRequest): CachedCredentials | undefined {
    const cached = last.get(request.connection)
    return cached !== undefined && cached.authorization === request.header('authorization') ? cached : undefined
  }

  function readCredentials(request: AdmissionRequest): CachedCredentials {
    const authorization = request.header('authorization')
    if (authorization === undefined)
      return refuse(request, MISSING, 'The request has no Authorization header with a workspace key.')
    const token = bearerToken(authorization)
    if (token === undefined)
      return refuse(request, MISSING, 'The Authorization header does not have the form "Bearer <key>".')
    const credentials = { authorization, hash: isToken(token) ? hashToken(token) : undefined, keyId: undefined }
    last.set(request.connection, credentials)
    return credentials
  }

  function remember(request: AdmissionRequest, credentials: CachedCredentials, found: AdmissionResult): Admission {
    const isRefused = found !== undefined && 'refused' in found
    const isAdmitted = found !== undefined && !isRefused && (admitsConnections || !found.isConnection)
    credentials.keyId = isAdmitted ? found.keyId : undefined
    if (isAdmitted) return found
    return refuse(request, isRefused ? found : credentials.hash === undefined ? DAMAGED : UNKNOWN)
  }

  return {
    findCredentials,
    /** Also counts the request. The caller decides whether it is within the quota. */
    admit(request: AdmissionRequest, tick: number, cached: CachedCredentials | undefined): MaybePromise<Admission> {
      const credentials = cached ?? readCredentials(request)
      const { hash } = credentials
      const found = hash === undefined ? undefined : store.admit(hash, defaultQuota, tick, request.caller.address)
      return whenReady(found, (result) => remember(request, credentials, result))
    },
    /** Checks the key again without counting the request. */
    async readmit(request: AdmissionRequest, admission: Admission): Promise<Admission> {
      const { hash } = findCredentials(request) ?? readCredentials(request)
      const access = hash === undefined ? undefined : await store.recheck(hash, request.caller.address)
      if (access === undefined || 'refused' in access) return refuse(request, access ?? UNKNOWN)
      return { ...admission, ...access }
    },
    recordUse(request: RequestReport, { keyId, now }: Admission): void {
      store.recordUse(keyId, now, request)
    },
    /** Lets a connection use a key known only by its hash. The header is useless on other connections. */
    trustConnection(connection: object, hash: string): string {
      last.set(connection, { authorization: TRUSTED, hash, keyId: undefined })
      return TRUSTED
    },
  }
}
