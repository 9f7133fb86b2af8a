import { hash, randomBytes, timingSafeEqual } from 'node:crypto'

/** 256 random bits, in characters that a URL, a cookie and a form carry unchanged. */
export const createSecret = (): string => randomBytes(32).toString('base64url')

export const isSecret = (text: string | undefined): text is string => /^[\w-]{43}$/.test(text ?? '')

/** What is stored of a secret. It has 256 bits of randomness, so a fast hash is as good as a slow one. */
export const hashSecret = (secret: string): string => hash('sha256', secret)

/** In constant time. */
export function isSameSecret(a: string, b: string): boolean {
  const [one, other] = [Buffer.from(a), Buffer.from(b)]
  return one.length === other.length && timingSafeEqual(one, other)
}
