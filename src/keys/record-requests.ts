import type { PublicStore } from '../database/store.ts'
import type { RequestFacts } from '../database/usage/recorded.ts'
import type { IsForeignOrigin } from '../lib/foreign-origin.ts'
import { ALL_DIGITS, displayedIn, hashToken, isToken, TOKEN_START, tokenPattern } from '../lib/key-format.ts'
import { decoded } from '../lib/redact.ts'
import type { KeyRefusal } from './admission.ts'

interface EndedRequest extends RequestFacts {
  /** `url` includes the query. */
  req: { url?: string | undefined }
  authorization: string | undefined
  header(name: 'origin'): string | undefined
  /** Undefined if the request carried no live key. */
  admission: { keyId: string } | undefined
  /** Stays set even if the key ended before the response. */
  countedAdmission: { keyId: string; now: number } | undefined
  keyRefusal: KeyRefusal | undefined
}

export type RecordRequest = (request: EndedRequest) => void

/** Records each request once, for the key it carried, and keys that were sent somewhere they must not be. The store writes in batches. */
export function createRequestRecorder(store: PublicStore, isForeignOrigin: IsForeignOrigin): RecordRequest {
  const tokens = tokenPattern(ALL_DIGITS, 'g')

  function recordKey(request: EndedRequest): boolean {
    const { countedAdmission: counted, keyRefusal, refusalReason } = request
    if (counted !== undefined) store.recordRequest({ keyId: counted.keyId }, request, refusalReason, counted.now)
    else if (keyRefusal?.keyId !== undefined)
      store.recordRequest({ keyId: keyRefusal.keyId }, request, keyRefusal.reason)
    else {
      const prefix = keyRefusal && displayedIn(request.authorization ?? '')
      if (prefix === undefined) return false
      store.recordRequest({ prefix }, request, keyRefusal?.reason)
    }
    return true
  }

  return (request) => {
    const isRecorded = recordKey(request)
    const origin = request.admission && request.header('origin')
    if (request.admission !== undefined && origin !== undefined && isForeignOrigin(origin))
      store.recordLeak({ keyId: request.admission.keyId }, 'browser')
    const url = request.req.url ?? ''
    const shown = url.includes('%') ? (decoded(url) ?? '') : url
    if (!shown.includes(TOKEN_START)) return
    for (const [token] of shown.matchAll(tokens)) {
      if (!isToken(token)) continue
      const key = { hash: hashToken(token) }
      store.recordLeak(key, 'url')
      if (!isRecorded) store.recordRequest(key, request, 'url')
    }
  }
}
