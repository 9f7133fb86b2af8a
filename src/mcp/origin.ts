import { ProblemError } from '../problems/problem.ts'

const LOOPBACK = /^(localhost|.+\.localhost|127(\.\d{1,3}){3}|\[::1\])$/

export type CheckOrigin = (origin: string | undefined) => void

/** Browsers are not integrations: an Origin is refused unless it is this machine's own or was allowed by name. */
export function makeOriginCheck(publicUrl: string, allowedOrigins: readonly string[]): CheckOrigin {
  const allowed = new Set(allowedOrigins)
  if (publicUrl !== '') allowed.add(new URL(publicUrl).origin)
  return (origin) => {
    if (origin === undefined) return
    const url = URL.parse(origin)
    if (url !== null && (allowed.has(url.origin) || (/^https?:$/.test(url.protocol) && LOOPBACK.test(url.hostname))))
      return
    throw new ProblemError('origin_not_allowed', 'The request comes from a web page whose origin is not allowed.')
  }
}
