import type { PublicStore } from '../database/store.ts'
import type { RequestFacts } from '../database/usage/request-recorder.ts'
import type { IsForeignOrigin } from '../lib/foreign-origin.ts'
import { ALL_DIGITS, displayedIn, hashToken, isToken, TOKEN_START, tokenPattern } from '../lib/key-format.ts'
import { decoded } from '../lib/redact.ts'
import type { KeyRefusal } from './admission.ts'

interface EndedRequest extends RequestFacts {
  /** `url` includes the query. */
  request: { url: string; authorization: string | undefined; header(name: 'origin'): string | undefined }
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

  function recordKey(ended: EndedRequest): boolean {
    const { countedAdmission: counted, keyRefusal, refusalReason } = ended
    if (counted !== undefined) store.recordRequest({ keyId: counted.keyId }, ended, refusalReason, counted.now)
    else if (keyRefusal?.keyId !== undefined) store.recordRequest({ keyId: keyRefusal.keyId }, ended, keyRefusal.reason)
    else {
      const prefix = keyRefusal && displayedIn(ended.request.authorization ?? '')
      if (prefix === undefined) return false
      store.recordRequest({ prefix }, ended, keyRefusal?.reason)
    }
    return true
  }

  return (ended) => {
    const { request, admission } = ended
    const isRecorded = recordKey(ended)
    const origin = admission && request.header('origin')
    if (admission !== undefined && origin !== undefined && isForeignOrigin(origin))
      store.recordLeak({ keyId: admission.keyId }, 'browser')
    const shown = request.url.includes('%') ? (decoded(request.url) ?? '') : request.url
    if (!shown.includes(TOKEN_START)) return
    for (const [token] of shown.matchAll(tokens)) {
      if (!isToken(token)) continue
      const key = { hash: hashToken(token) }
      store.recordLeak(key, 'url')
      if (!isRecorded) store.recordRequest(key, ended, 'url')
    }
  }
}
