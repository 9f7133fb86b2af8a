import { Lru } from '../../lib/lru.ts'
import { redactTokens } from '../../lib/redact.ts'

export interface Caller {
  address: string | undefined
  agent: string | undefined
}

const PRODUCT = /^[\w.+-]{1,40}(?:\/[\w.+-]{1,20})?/

/** Cached, because finding the product costs more than recording the rest of a request. */
const products = new Lru<string>(500)
/** Browsers send shorter agents. Longer ones are not cached, so the cache takes at most 256 KB. */
const MAX_CACHED_LENGTH = 256

/** The User-Agent can be any text, so only its product is recorded, such as `claude-code/2.1`. Empty if there is none. */
export function productOf({ agent = '' }: Caller): string {
  const cached = products.get(agent)
  if (cached !== undefined) return cached
  // Redact before truncating: half a key would not be recognised as a key.
  const product = copyOf(PRODUCT.exec(redactTokens(agent))?.[0] ?? '')
  if (agent.length <= MAX_CACHED_LENGTH) products.set(copyOf(agent), product)
  return product
}

/** Copies the text, because V8 keeps the whole string alive for a slice of it. */
const copyOf = (text: string): string => Buffer.from(text, 'latin1').toString('latin1')

/** Such as `claude-code/2.1 at 203.0.113.7`; null if neither is known. */
export function describeCaller(caller: Caller): string | null {
  const [product, { address = '' }] = [productOf(caller), caller]
  return product !== '' && address !== '' ? `${product} at ${address}` : product || address || null
}
