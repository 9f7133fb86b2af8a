import type { Caller } from '../database/caller.ts'
import type { PublicStore } from '../database/store.ts'
import { decoded } from '../lib/redact.ts'
import type { ProblemCode } from '../problems/catalogue.ts'
import { type AdmissionRequest, bearerToken, type KeyAdmission } from './admission.ts'
import { displayToken, hashToken, isToken, TOKEN_START } from './token.ts'

interface FinishedRequest extends Pick<AdmissionRequest, 'connection'> {
  /** `url` includes the query. */
  req: { url?: string | undefined }
  /** A function, because this runs for every request and rarely needs a header. */
  header(name: 'authorization' | 'origin'): string | undefined
  /** Undefined if the request carried no live key. */
  keyId: string | undefined
  refusal: ProblemCode | undefined
  caller: Caller
}

export type ReportIncidents = (request: FinishedRequest) => void

/** Reports keys that were refused or sent somewhere they must not be. The store writes the reports later, in batches. */
export function createIncidentReporter(
  store: PublicStore,
  isForeignOrigin: (origin: string) => boolean,
  findCredentials: KeyAdmission['findCredentials'],
): ReportIncidents {
  return (request) => {
    const { keyId, refusal, caller } = request
    const url = request.req.url ?? ''
    if (keyId !== undefined) {
      if (refusal === 'rate_limited') store.recordIncident({ kind: 'over_quota', keyId }, caller)
      else if (refusal === 'forbidden') store.recordIncident({ kind: 'forbidden', keyId }, caller)
      const origin = request.header('origin')
      if (origin !== undefined && isForeignOrigin(origin)) store.recordIncident({ kind: 'browser', keyId }, caller)
    } else if (refusal === 'unauthorized') {
      const sent = sentKey(request, findCredentials)
      if (sent !== undefined) store.recordIncident({ kind: 'unauthorized', ...sent }, caller)
    }
    const shown = url.includes('%') ? (decoded(url) ?? '') : url
    if (shown.includes(TOKEN_START))
      for (const [token] of shown.matchAll(TOKENS))
        if (isToken(token)) store.recordIncident({ kind: 'url', hash: hashToken(token) }, caller)
  }
}

function sentKey(
  request: FinishedRequest,
  findCredentials: KeyAdmission['findCredentials'],
): { hash?: string; prefix?: string } | undefined {
  const token = bearerToken(request.header('authorization') ?? '')
  const hash = token !== undefined && isToken(token) ? hashToken(token) : findCredentials(request)?.hash
  if (token?.startsWith(TOKEN_START)) return { ...(hash !== undefined && { hash }), prefix: displayToken(token) }
  return hash === undefined ? undefined : { hash }
}

const TOKENS = new RegExp(`${TOKEN_START}[0-9A-Za-z]{49}`, 'g')
