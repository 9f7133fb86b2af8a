import { isIPv6 } from 'node:net'
import type { Operation } from '../api/operation.ts'
import { type Lifecycle, lifecycleHeaders } from '../api/path-lifecycle.ts'
import { headerLines } from '../lib/header-lines.ts'
import { ProblemError } from '../problems/problem.ts'

export interface Route {
  operation: Operation
  methods: readonly string[]
  allow: string
  lifecycle: string
}

export const createRoutes = (operations: readonly Operation[], lifecycle: Lifecycle): ReadonlyMap<string, Route> =>
  new Map(
    operations.map((operation) => {
      const { path, contract } = operation
      const methods = contract.method === 'get' ? ['GET', 'HEAD'] : ['POST']
      const lines = headerLines(lifecycleHeaders(lifecycle.get(path)))
      return [path, { operation, methods, allow: methods.join(', '), lifecycle: lines }]
    }),
  )

export function targetPath(target: string): string {
  const path = encodedPath(target)
  return path.includes('%') ? decode(path) : path
}

/** Never throws, unlike `targetPath`. */
export function encodedPath(target: string): string {
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

function decode(path: string): string {
  try {
    // Not decodeURIComponent: an encoded slash is not a slash.
    return decodeURI(path)
  } catch {
    throw new ProblemError('bad_request', 'The path contains a percent sign that does not encode a character.')
  }
}

/** RFC 9110 §7.2, RFC 3986 §3.2.2. A comma is never allowed, because Node joins two Host lines with one. */
const HOST = /^(?:[A-Za-z0-9._~-]{1,255}|\[([0-9A-Fa-f:.]{2,45})\])(?::(\d{0,5}))?$/
const HIGHEST_PORT = 65_535

function isHost(host: string): boolean {
  const match = HOST.exec(host)
  if (match === null) return false
  const [, ipv6, port = ''] = match
  return (ipv6 === undefined || isIPv6(ipv6)) && Number(port) <= HIGHEST_PORT
}

/** RFC 9112 §3.2: exactly one valid Host is required, except in HTTP/1.0. */
export function createHostCheck(): (host: string | undefined, httpVersion: string) => void {
  // Nearly all requests to a server have the same Host.
  let lastValid = ''
  return (host, httpVersion) => {
    if (host === lastValid && host !== '') return
    if (host === undefined) {
      if (httpVersion === '1.0') return
      throw new ProblemError('bad_request', 'The request has no Host header.')
    }
    if (!isHost(host)) throw new ProblemError('bad_request', 'The Host header is not one host with an optional port.')
    lastValid = host
  }
}
