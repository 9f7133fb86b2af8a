import { type Answer, mediaType } from './answer.ts'
import { diagnoses, headerRemoved } from './diagnosis.ts'
import type { Diagnosis } from './outcome.ts'

const isProblem = (answer: Answer) => mediaType(answer) === 'application/problem+json'

/** What explains every deviation of an answer, whichever was seen first. */
export function diagnoseAnswer(answer: Answer): Diagnosis | undefined {
  if (answer.isRepeated) return diagnoses.cached
  if (answer.status === 429) return diagnoses.otherLimit
  if (answer.headers['content-encoding'] !== undefined && !asksForEncoding(answer)) return diagnoses.encodedUnasked
  return undefined
}

/** Requests ask for no encoding unless they say so. */
export const asksForEncoding = ({ request }: Pick<Answer, 'request'>): boolean =>
  Object.keys(request.headers ?? {}).some((name) => name.toLowerCase() === 'accept-encoding')

/** Why an answer has another status than the contract says. */
export function diagnoseStatus(answer: Answer): Diagnosis {
  const { status, request, headers } = answer
  if (status >= 300 && status < 400 && status !== 304) return diagnoses.redirected
  if (status === 401 && request.withKey)
    return /invalid_token/.test(headers['www-authenticate'] ?? '')
      ? diagnoses.keyRefused
      : diagnoses.authorizationRemoved
  if (isProblem(answer)) return diagnoses.unknown
  if (status === 413) return diagnoses.bodyLimit
  if (status === 431 || status === 494) return diagnoses.headerLimit
  if (status === 411) return diagnoses.chunksRefused
  if (status === 417) return diagnoses.continueRefused
  if (status === 405 || status === 501) return diagnoses.methodFiltered
  if (status === 403 || status === 406) return diagnoses.blocked
  if (status >= 502 && status <= 504) return diagnoses.gateway
  if (mediaType(answer) !== 'text/html') return diagnoses.unknown
  if (status >= 400) return diagnoses.pageReplaced
  return request.method === 'GET' ? diagnoses.anotherServer : diagnoses.methodFiltered
}

/** Why an answer has another Content-Type. */
export const diagnoseType = (answer: Answer, expected: string): Diagnosis => {
  if (mediaType(answer) === expected) return diagnoses.typeChanged
  if (answer.headers['content-type'] === undefined && answer.body.length > 0) return headerRemoved('Content-Type')
  return answer.status >= 400 ? diagnoses.pageReplaced : diagnoses.anotherServer
}
