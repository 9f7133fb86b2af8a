import type { PublicStore } from '../database/store.ts'
import type { RequestFacts } from '../database/usage/recorded.ts'
import type { IsForeignOrigin } from '../lib/foreign-origin.ts'
import { ALL_DIGITS, displayedIn, hashToken, isToken, TOKEN_START, tokenPattern } from '../lib/key-format.ts'
import { decoded } from '../lib/redact.ts'
import type { ProblemCode } from '../problems/catalogue.ts'
import type { KeyRefusal } from './admission.ts'

interface ExaminedRequest extends RequestFacts {
  /** `url` includes the query. */
  req: { url?: string | undefined }
  authorization: string | undefined
  header(name: 'origin'): string | undefined
  /** Undefined if the request carried no live key. */
  admission: { keyId: string } | undefined
  /** Set if the request counted as a use, and so is logged with it. */
  countedAdmission: object | undefined
  keyRefusal: KeyRefusal | undefined
  refusalCode: ProblemCode | undefined
}

export type RecordIncidents = (request: ExaminedRequest) => void

/** Records keys that were refused or sent somewhere they must not be. The store writes the records later, in batches. */
export function createIncidentRecorder(store: PublicStore, isForeignOrigin: IsForeignOrigin): RecordIncidents {
  return (request) => {
    const { admission, countedAdmission, keyRefusal, refusalCode, caller } = request
    let logged = countedAdmission === undefined ? request : undefined
    if (admission !== undefined) {
      const { keyId } = admission
      if (refusalCode === 'rate_limited') store.recordIncident({ kind: 'over_quota', keyId }, caller)
      else if (refusalCode === 'forbidden') store.recordIncident({ kind: 'forbidden', keyId }, caller)
      const origin = request.header('origin')
      if (origin !== undefined && isForeignOrigin(origin)) store.recordIncident({ kind: 'browser', keyId }, caller)
    } else if (keyRefusal?.keyId !== undefined) {
      store.recordIncident({ kind: keyRefusal.reason, keyId: keyRefusal.keyId }, caller, logged)
      logged = undefined
    } else if (keyRefusal !== undefined) {
      const prefix = displayedIn(request.authorization ?? '')
      if (prefix !== undefined) {
        store.recordIncident({ kind: 'unknown', prefix }, caller, logged)
        logged = undefined
      }
    }
    const url = request.req.url ?? ''
    const shown = url.includes('%') ? (decoded(url) ?? '') : url
    if (shown.includes(TOKEN_START))
      for (const [token] of shown.matchAll(TOKENS))
        if (isToken(token)) store.recordIncident({ kind: 'url', hash: hashToken(token) }, caller, logged)
  }
}

const TOKENS = tokenPattern(ALL_DIGITS, 'g')
