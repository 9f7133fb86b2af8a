import { redactTokens } from '../lib/redact.ts'

/** Who sent a request, as far as the request tells. */
export interface Caller {
  address: string | undefined
  /** The User-Agent header. */
  agent: string | undefined
}

const PRODUCT = /^[\w.+-]{1,40}(?:\/[\w.+-]{1,20})?/

/** For people: `claude-code/2.1 at 203.0.113.7`. Of the User-Agent, which may be any text, only its product is kept. */
export function describeCaller({ address, agent }: Caller): string | null {
  // Redacted first: of a key that is cut off, nobody would know it for one.
  const product = PRODUCT.exec(redactTokens(agent ?? ''))?.[0]
  if (product === undefined) return address ?? null
  return address === undefined ? product : `${product} at ${address}`
}
