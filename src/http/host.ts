import { isIPv6 } from 'node:net'
import { ProblemError } from '../problems/problem.ts'

/**
 * A name, an IPv4 address or an IPv6 address in brackets, optionally with a port (RFC 9110 §7.2, RFC 3986 §3.2.2). A comma is
 * never allowed: Node joins two Host lines with one.
 */
const HOST = /^(?:[A-Za-z0-9._~-]{1,255}|\[([0-9A-Fa-f:.]{2,45})\])(?::(\d{0,5}))?$/
const HIGHEST_PORT = 65_535

function isHost(host: string): boolean {
  const match = HOST.exec(host)
  if (match === null) return false
  const [, ipv6, port = ''] = match
  return (ipv6 === undefined || isIPv6(ipv6)) && Number(port) <= HIGHEST_PORT
}

/** Refuses a request with no Host, with two or with an invalid one (RFC 9112 §3.2). HTTP/1.0 requires none. */
export function createHostCheck(): (host: string | undefined, httpVersion: string) => void {
  // Nearly all requests to a server name the same host.
  let lastValid = ''
  return (host, httpVersion) => {
    if (host === lastValid && host !== '') return
    if (host === undefined) {
      if (httpVersion === '1.0') return
      throw new ProblemError('bad_request', 'The request has no Host header.')
    }
    if (!isHost(host)) throw new ProblemError('bad_request', 'The Host header is not one host, with or without a port.')
    lastValid = host
  }
}
