import { RecentlyUsed } from '../lib/recently-used.ts'
import { redactTokens } from '../lib/redact.ts'

export interface Caller {
  address: string | undefined
  /** The User-Agent header. */
  agent: string | undefined
}

const PRODUCT = /^[\w.+-]{1,40}(?:\/[\w.+-]{1,20})?/

/** Cached, because finding the product costs more than everything else that is recorded of a request. */
const products = new RecentlyUsed<string>(500)
/** Longer agents than browsers send are not cached, so the cache takes 256 KB at most. */
const MAX_CACHED_LENGTH = 256

/** The User-Agent may be any text, so only its product is recorded: `claude-code/2.1`. Empty if it names none. */
export function productOf({ agent = '' }: Caller): string {
  const cached = products.get(agent)
  if (cached !== undefined) return cached
  // Redacted before it is cut: half a key would not be recognised as one.
  const product = copyOf(PRODUCT.exec(redactTokens(agent))?.[0] ?? '')
  if (agent.length <= MAX_CACHED_LENGTH) products.set(copyOf(agent), product)
  return product
}

/** A slice would keep the whole string in memory. */
const copyOf = (text: string): string => Buffer.from(text, 'latin1').toString('latin1')

/** Such as `claude-code/2.1 at 203.0.113.7`; null if neither is known. */
export function describeCaller(caller: Caller): string | null {
  const [product, { address = '' }] = [productOf(caller), caller]
  return product !== '' && address !== '' ? `${product} at ${address}` : product || address || null
}
