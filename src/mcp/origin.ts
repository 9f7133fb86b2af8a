import { isLoopback } from '../lib/network.ts'
import { ProblemError } from '../problems/problem.ts'

export type CheckOrigin = (origin: string | undefined) => void

/** An origin is foreign unless it is the service's own, a loopback address or allowed in the settings. */
export function createForeignOriginTest(publicUrl: string, allowedOrigins: readonly string[]) {
  const allowed = new Set(allowedOrigins)
  if (publicUrl !== '') allowed.add(new URL(publicUrl).origin)
  return (origin: string): boolean => {
    const url = URL.parse(origin)
    if (url === null) return true
    return !allowed.has(url.origin) && !(/^https?:$/.test(url.protocol) && isLoopback(url.hostname))
  }
}

/** Refuses requests from web pages of a foreign origin (DNS rebinding): keys are for servers, not for browsers. */
export function createOriginCheck(isForeign: (origin: string) => boolean): CheckOrigin {
  return (origin) => {
    if (origin === undefined || !isForeign(origin)) return
    throw new ProblemError('origin_not_allowed', 'The request comes from a web page whose origin is not allowed.')
  }
}
