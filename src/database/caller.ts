import { redactTokens } from '../lib/redact.ts'

/** Who sent a request, as far as the request says. */
export interface Caller {
  address: string | undefined
  /** The User-Agent header. */
  agent: string | undefined
}

const PRODUCT = /^[\w.+-]{1,40}(?:\/[\w.+-]{1,20})?/

/** Such as `claude-code/2.1 at 203.0.113.7`. The User-Agent may be any text, so only its product is kept. */
export function describeCaller({ address, agent }: Caller): string | null {
  // Redacted before it is cut: half a key would not be recognised as one.
  const product = PRODUCT.exec(redactTokens(agent ?? ''))?.[0]
  if (product === undefined) return address ?? null
  return address === undefined ? product : `${product} at ${address}`
}
