import type { IncomingHttpHeaders } from 'node:http'

/** What a server can tell an unchanged snapshot by (RFC 9110, section 8.8); null if it gives none that can be relied on. */
export interface Validators {
  etag: string | null
  lastModified: string | null
}

const MAX_ETAG_CHARACTERS = 500
const ETAG = /^(?:W\/)?"[\x21\x23-\x7e]*"$/

export function validatorsOf(headers: IncomingHttpHeaders): Validators {
  const { etag = '', 'last-modified': lastModified = '', date = '' } = headers
  // Within its second a snapshot could have changed again afterwards (section 8.8.2.2).
  const isPast = Date.parse(lastModified) < Date.parse(date)
  return {
    etag: etag.length <= MAX_ETAG_CHARACTERS && ETAG.test(etag) ? etag : null,
    lastModified: isPast ? new Date(lastModified).toUTCString() : null,
  }
}

export function conditionalHeaders({ etag, lastModified }: Validators): Record<string, string> {
  return {
    ...(etag !== null && { 'if-none-match': etag }),
    ...(lastModified !== null && { 'if-modified-since': lastModified }),
  }
}
