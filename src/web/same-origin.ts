import type { PrivateRequest } from '../operation.ts'

/**
 * Whether a request that changes something comes from one of our own pages. Browsers say so themselves, with Origin,
 * Sec-Fetch-Site or both; one that says neither is refused.
 */
export function isFromOwnPage(request: Pick<PrivateRequest, 'header'>, publicUrl: string): boolean {
  const site = request.header('sec-fetch-site')
  if (site !== undefined && site !== 'same-origin') return false
  const origin = request.header('origin')
  if (origin === undefined) return site === 'same-origin'
  if (publicUrl !== '') return origin === new URL(publicUrl).origin
  // Without PUBLIC_URL a proxy may speak https to the world: only the host can be compared. Browsers send both in one
  // spelling, so nothing is folded or decoded.
  const host = request.header('host')
  return host !== undefined && (origin === `http://${host}` || origin === `https://${host}`)
}
