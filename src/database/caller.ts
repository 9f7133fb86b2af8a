import { redactTokens } from '../lib/redact.ts'

/** Who sent a request, as far as the request says. */
export interface Caller {
  address: string | undefined
  /** The User-Agent header. */
  agent: string | undefined
}

const PRODUCT = /^[\w.+-]{1,40}(?:\/[\w.+-]{1,20})?/

/** Of agents that were seen before. To find one costs more than all else that is recorded of a request. */
const products = new Map<string, string>()
/** More than there are in use at once; then all are forgotten. */
const MAX_PRODUCTS = 1000
/** Longer ones than browsers send are not remembered: together they take 256 KB at most. */
const MAX_REMEMBERED = 256

/** The User-Agent may be any text, so only its product is kept: `claude-code/2.1`. Empty if it names none. */
export function productOf({ agent = '' }: Caller): string {
  const known = products.get(agent)
  if (known !== undefined) return known
  // Redacted before it is cut: half a key would not be recognised as one.
  const product = copyOf(PRODUCT.exec(redactTokens(agent))?.[0] ?? '')
  if (agent.length > MAX_REMEMBERED) return product
  if (products.size >= MAX_PRODUCTS) products.clear()
  products.set(copyOf(agent), product)
  return product
}

/** A part of a string keeps the whole of it in memory. */
const copyOf = (text: string): string => Buffer.from(text, 'latin1').toString('latin1')

/** Such as `claude-code/2.1 at 203.0.113.7`. */
export const describeCaller = (caller: Caller): string | null => clientText(productOf(caller), caller.address ?? '')

/** Null if neither is known. */
export const clientText = (product: string, address: string): string | null =>
  product !== '' && address !== '' ? `${product} at ${address}` : product || address || null
