import { diagnoses, headerRemoved } from './diagnosis.ts'
import type { Diagnosis } from './outcome.ts'
import { type HttpResponse, mediaType } from './response.ts'

const isProblem = (response: HttpResponse) => mediaType(response) === 'application/problem+json'

/** What explains every deviation of a response, whichever was seen first. */
export function diagnoseResponse(response: HttpResponse): Diagnosis | undefined {
  if (response.isRepeated) return diagnoses.cached
  if (response.status === 429) return diagnoses.otherLimit
  if (response.headers['content-encoding'] !== undefined && !asksForEncoding(response)) return diagnoses.encodedUnasked
  return undefined
}

/** Requests ask for no encoding unless they say so. */
export const asksForEncoding = ({ request }: Pick<HttpResponse, 'request'>): boolean =>
  Object.keys(request.headers ?? {}).some((name) => name.toLowerCase() === 'accept-encoding')

/** Why a response has another status than the contract says. */
export function diagnoseStatus(response: HttpResponse): Diagnosis {
  const { status, request, headers } = response
  if (status >= 300 && status < 400 && status !== 304) return diagnoses.redirected
  if (status === 401 && request.withKey)
    return /invalid_token/.test(headers['www-authenticate'] ?? '')
      ? diagnoses.keyRefused
      : diagnoses.authorizationRemoved
  if (isProblem(response)) return diagnoses.unknown
  if (status === 413) return diagnoses.bodyLimit
  if (status === 431 || status === 494) return diagnoses.headerLimit
  if (status === 411) return diagnoses.chunksRefused
  if (status === 417) return diagnoses.continueRefused
  if (status === 405 || status === 501) return diagnoses.methodFiltered
  if (status === 403 || status === 406) return diagnoses.blocked
  if (status >= 502 && status <= 504) return diagnoses.gateway
  if (mediaType(response) !== 'text/html') return diagnoses.unknown
  if (status >= 400) return diagnoses.pageReplaced
  return request.method === 'GET' ? diagnoses.anotherServer : diagnoses.methodFiltered
}

/** Why a response has another Content-Type. */
export const diagnoseType = (response: HttpResponse, expected: string): Diagnosis => {
  if (mediaType(response) === expected) return diagnoses.typeChanged
  if (response.headers['content-type'] === undefined && response.body.length > 0) return headerRemoved('Content-Type')
  return response.status >= 400 ? diagnoses.pageReplaced : diagnoses.anotherServer
}
