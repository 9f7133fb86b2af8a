import { redactTokens } from '../../lib/redact.ts'

export interface Caller {
  address: string | undefined
  agent: string | undefined
}

const PRODUCT = /^[\w.+-]{1,40}(?:\/[\w.+-]{1,20})?/

/** The User-Agent can be any text, so only its product is recorded, such as `claude-code/2.1`. Empty if there is none. */
export function productOf({ agent = '' }: Caller): string {
  // Redact before truncating: half a key would not be recognised as a key.
  const [product = ''] = PRODUCT.exec(redactTokens(agent)) ?? []
  // V8 would keep the whole text alive for a slice of it.
  return Buffer.from(product, 'latin1').toString('latin1')
}

/** Such as `claude-code/2.1 at 203.0.113.7`; null if neither is known. */
export function describeCaller(caller: Caller): string | null {
  const [product, { address = '' }] = [productOf(caller), caller]
  return product !== '' && address !== '' ? `${product} at ${address}` : product || address || null
}
