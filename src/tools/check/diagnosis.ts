import { isObject } from '../../lib/checker.ts'
import texts from './diagnoses.json' with { type: 'json' }
import { type CheckedResponse, isEncodedUnasked } from './http.ts'

export interface Diagnosis {
  cause: string
  fix: string
  see: string
}

const DEFAULT_GUIDE = 'docs/proxies.md'

/** What proxies do to requests and responses, and the usual fix. */
export const diagnoses = Object.fromEntries(
  Object.entries(texts).map(([name, text]) => [name, { ...text, see: 'see' in text ? text.see : DEFAULT_GUIDE }]),
) as Record<keyof typeof texts, Diagnosis>

export const headerRemoved = (name: string): Diagnosis => ({
  cause: `a proxy removes or renames the response header ${name}`,
  fix: `let the proxy forward ${name}; a list of exposed headers must include it`,
  see: DEFAULT_GUIDE,
})

export const headerChanged = (name: string): Diagnosis => ({
  cause: `a proxy changes the response header ${name}, or adds its own`,
  fix: `let the proxy leave ${name} unchanged`,
  see: DEFAULT_GUIDE,
})

/** Some changes explain every deviation of a response, whichever was found first. */
export function diagnoseResponse(response: CheckedResponse): Diagnosis | undefined {
  if (mediaType(response) === 'text/event-stream') return diagnoses.eventStream
  if (response.isRepeated) return diagnoses.cached
  if (response.status === 429) return codeOf(response) === 'rate_limited' ? diagnoses.quotaShared : diagnoses.otherLimit
  if (codeOf(response) === 'overloaded') return diagnoses.overloaded
  if (isEncodedUnasked(response)) return diagnoses.encodedUnasked
  if (response.bodyError !== undefined && response.headers['content-encoding'] !== undefined)
    return diagnoses.undecodable
  if (response.text.startsWith('\uFEFF')) return diagnoses.byteOrderMark
  if (isWithoutKey(response)) return diagnoses.authorizationRemoved
  const isCut = response.json === undefined && /^[[{]/.test(response.text)
  return isCut || response.bodyError !== undefined ? diagnoses.lengthWrong : undefined
}

/** Vitrine's challenge to a request that has a key names an error. */
const isWithoutKey = ({ status, request, headers }: CheckedResponse): boolean =>
  status === 401 &&
  (request.withKey === true || request.headers?.Authorization !== undefined) &&
  headers['www-authenticate'] !== undefined &&
  !headers['www-authenticate'].includes('invalid_token')

/** Only Vitrine sends problems with these codes. */
const codeOf = ({ json }: CheckedResponse): unknown => (isObject(json) ? json.code : undefined)

/** The meaning of a status that did not come from Vitrine. */
const foreignStatus: Record<number, Diagnosis> = {
  403: diagnoses.blocked,
  405: diagnoses.methodFiltered,
  406: diagnoses.blocked,
  411: diagnoses.chunksRefused,
  413: diagnoses.bodyLimit,
  417: diagnoses.continueRefused,
  431: diagnoses.headerLimit,
  494: diagnoses.headerLimit,
  501: diagnoses.methodFiltered,
  502: diagnoses.gateway,
  503: diagnoses.gateway,
  504: diagnoses.gateway,
}

/** A proxy's own response because it did not get Vitrine's. */
export const isGatewayFailure = (response: CheckedResponse): boolean =>
  foreignStatus[response.status] === diagnoses.gateway && mediaType(response) !== 'application/problem+json'

export const isRedirect = ({ status }: CheckedResponse): boolean => status >= 300 && status < 400 && status !== 304

const mediaType = ({ headers }: CheckedResponse): string =>
  (headers['content-type'] ?? '').replace(/;.*$/s, '').trim().toLowerCase()

export function diagnoseStatus(response: CheckedResponse): Diagnosis {
  const { status, request, text } = response
  if (isRedirect(response)) return diagnoses.redirected
  if (status === 401 && request.withKey) return diagnoses.keyRefused
  // The request is valid, so a proxy must have changed its headers.
  if (status === 400 && /header_mismatch|unsupported_protocol_version/.test(text)) return diagnoses.versionHeaderRemoved
  if (mediaType(response) === 'application/problem+json') return diagnoses.unknown
  if (foreignStatus[status] !== undefined) return foreignStatus[status]
  if (mediaType(response) !== 'text/html') return diagnoses.unknown
  if (status >= 400) return diagnoses.pageReplaced
  return request.method === 'GET' ? diagnoses.anotherServer : diagnoses.methodFiltered
}

export function diagnoseType(response: CheckedResponse, expected: string): Diagnosis {
  if (mediaType(response) === expected) return diagnoses.typeChanged
  const isOlder =
    mediaType(response) === 'application/problem+json' && response.request.headers?.['MCP-Protocol-Version']
  if (isOlder) return diagnoses.versionHeaderRemoved
  if (response.headers['content-type'] === undefined && response.body.length > 0) return headerRemoved('Content-Type')
  return response.status >= 400 ? diagnoses.pageReplaced : diagnoses.anotherServer
}
