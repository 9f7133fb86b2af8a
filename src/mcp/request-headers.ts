import { ProblemError } from '../problems/problem.ts'

export const PROTOCOL_VERSION = '2025-03-26'

/** Sent with 200, 202 and 429, as alternating header names and values. */
export const versionHeaders = ['X-Service-Api-Version', PROTOCOL_VERSION]

/**
 * Refuses any other version, with one exception: on `initialize` a newer one is negotiated down, because widely used
 * clients send their newest there. Clients that probe with another method rely on the refusal to fall back.
 */
export function checkProtocolVersion(version: string | undefined, method: string): void {
  if (version === undefined || version === PROTOCOL_VERSION) return
  if (method === 'initialize' && isNewer(version)) return
  throw new ProblemError(
    'unsupported_protocol_version',
    `The only MCP protocol version spoken here is ${PROTOCOL_VERSION}; the request asks for another.`,
  )
}

const isNewer = (version: string) =>
  /^\d{4}-\d{2}-\d{2}$/.test(version) && !Number.isNaN(Date.parse(version)) && version > PROTOCOL_VERSION

const JSON_TYPE = /^application\/json\s*(?:;|$)/i
const CHARSET = /;\s*charset\s*=\s*"?([^\s;"]*)/i

/** Any parameter may follow, as long as a charset is UTF-8. */
const isJson = (contentType: string) =>
  JSON_TYPE.test(contentType) && /^utf-?8$/i.test(CHARSET.exec(contentType)?.[1] ?? 'utf-8')

export function checkMediaType(contentType: string | undefined, contentEncoding: string | undefined): void {
  if (contentType === 'application/json' && contentEncoding === undefined) return
  if (contentType === undefined)
    throw new ProblemError('unsupported_media_type', 'The request has no Content-Type header.')
  if (!isJson(contentType))
    throw new ProblemError('unsupported_media_type', 'The Content-Type is not application/json in UTF-8.')
  if (contentEncoding !== undefined && contentEncoding.toLowerCase() !== 'identity')
    throw new ProblemError('unsupported_media_type', 'Encoded bodies are not accepted.')
}

const LOOPBACK = /^(localhost|.+\.localhost|127(\.\d{1,3}){3}|\[::1\])$/

export type CheckOrigin = (origin: string | undefined) => void

/** An origin is foreign unless it is the service's own, a loopback address or allowed in the settings. */
export function createForeignOriginTest(publicUrl: string, allowedOrigins: readonly string[]) {
  const allowed = new Set(allowedOrigins)
  if (publicUrl !== '') allowed.add(new URL(publicUrl).origin)
  return (origin: string): boolean => {
    const url = URL.parse(origin)
    if (url === null) return true
    return !allowed.has(url.origin) && !(/^https?:$/.test(url.protocol) && LOOPBACK.test(url.hostname))
  }
}

/** Refuses requests from web pages of a foreign origin (DNS rebinding): keys are for servers, not for browsers. */
export function createOriginCheck(isForeign: (origin: string) => boolean): CheckOrigin {
  return (origin) => {
    if (origin === undefined || !isForeign(origin)) return
    throw new ProblemError('origin_not_allowed', 'The request comes from a web page whose origin is not allowed.')
  }
}
