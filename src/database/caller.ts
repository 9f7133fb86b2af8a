import { redactTokens } from '../lib/redact.ts'

/** Who sent a request, as far as the request says. */
export interface Caller {
  address: string | undefined
  /** The User-Agent header. */
  agent: string | undefined
}

const PRODUCT = /^[\w.+-]{1,40}(?:\/[\w.+-]{1,20})?/

/** The User-Agent may be any text, so only its product is kept: `claude-code/2.1`. Empty if it names none. */
export function productOf({ agent }: Caller): string {
  // Redacted before it is cut: half a key would not be recognised as one.
  const product = PRODUCT.exec(redactTokens(agent ?? ''))?.[0] ?? ''
  // A copy: a part of a string keeps the whole of it in memory.
  return Buffer.from(product, 'latin1').toString('latin1')
}

/** Such as `claude-code/2.1 at 203.0.113.7`. */
export const describeCaller = (caller: Caller): string | null => clientText(productOf(caller), caller.address ?? '')

/** Null if neither is known. */
export const clientText = (product: string, address: string): string | null =>
  product !== '' && address !== '' ? `${product} at ${address}` : product || address || null
