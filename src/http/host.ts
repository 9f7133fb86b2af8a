import { isIPv6 } from 'node:net'
import { ProblemError } from '../problems/problem.ts'

/**
 * A name, an IPv4 address or an IPv6 address in brackets, and perhaps a port (RFC 9110 §7.2, RFC 3986 §3.2.2). Of names only
 * the characters that hosts have: a second Host line, which Node joins to the first with a comma and a space, is none.
 */
const HOST = /^(?:[A-Za-z0-9._~-]{1,255}|\[([0-9A-Fa-f:.]{2,45})\])(?::(\d{0,5}))?$/
const HIGHEST_PORT = 65_535

function isHost(host: string): boolean {
  const match = HOST.exec(host)
  if (match === null) return false
  const [, ipv6, port = ''] = match
  return (ipv6 === undefined || isIPv6(ipv6)) && Number(port) <= HIGHEST_PORT
}

/** Refuses a request without a Host, with two, or with one that is none (RFC 9112 §3.2). HTTP/1.0 knows requests without. */
export function createHostCheck(): (host: string | undefined, httpVersion: string) => void {
  // Nearly all requests to a server name the same host.
  let lastGood = ''
  return (host, httpVersion) => {
    if (host === lastGood && host !== '') return
    if (host === undefined) {
      if (httpVersion === '1.0') return
      throw new ProblemError('bad_request', 'The request has no Host header.')
    }
    if (!isHost(host)) throw new ProblemError('bad_request', 'The Host header is not one host, with or without a port.')
    lastGood = host
  }
}
