import { isIPv6 } from 'node:net'

/** Undefined if the path has a percent sign that does not encode a character. */
export function targetPath(target: string): string | undefined {
  const path = encodedPath(target)
  if (!path.includes('%')) return path
  try {
    // Not decodeURIComponent: an encoded slash is not a slash.
    return decodeURI(path)
  } catch {
    return undefined
  }
}

function encodedPath(target: string): string {
  const path = target.startsWith('/') ? target : originForm(target)
  const queryAt = path.indexOf('?')
  return queryAt === -1 ? path : path.slice(0, queryAt)
}

/** Only the settings pages read a query. */
export function targetQuery(target: string): URLSearchParams {
  const queryAt = target.indexOf('?')
  return new URLSearchParams(queryAt === -1 ? '' : target.slice(queryAt + 1))
}

/** A proxy may send the absolute form (RFC 9112, 3.2.2). Any other form matches no route. */
function originForm(target: string): string {
  const url = URL.parse(target)
  return url !== null && /^https?:$/.test(url.protocol) ? url.pathname : target
}

/** RFC 9110 §7.2, RFC 3986 §3.2.2. A comma is never allowed, because Node joins two Host lines with one. */
const HOST = /^(?:[A-Za-z0-9._~-]{1,255}|\[([0-9A-Fa-f:.]{2,45})\])(?::(\d{0,5}))?$/
const HIGHEST_PORT = 65_535

export function isHost(host: string): boolean {
  const match = HOST.exec(host)
  if (match === null) return false
  const [, ipv6, port = ''] = match
  return (ipv6 === undefined || isIPv6(ipv6)) && Number(port) <= HIGHEST_PORT
}
