import { isLoopback } from './network.ts'

export type IsForeignOrigin = (origin: string) => boolean

/** Whether an origin is neither ours, nor allowed, nor loopback. */
export function createForeignOriginTest(publicUrl: string, allowedOrigins: readonly string[]): IsForeignOrigin {
  const allowed = new Set(allowedOrigins)
  if (publicUrl !== '') allowed.add(new URL(publicUrl).origin)
  return (origin) => {
    const url = URL.parse(origin)
    if (url === null) return true
    return !allowed.has(url.origin) && !(/^https?:$/.test(url.protocol) && isLoopback(url.hostname))
  }
}
