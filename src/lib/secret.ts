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

/**
 * A secret of a page in another form each time: random bytes, and the secret combined with them. What a page repeats unchanged can
 * be guessed from the size of its compressed form (BREACH).
 */
export function maskSecret(secret: string): string {
  const bytes = Buffer.from(secret, 'base64url')
  const mask = randomBytes(bytes.length)
  return Buffer.concat([mask, xor(bytes, mask)]).toString('base64url')
}

export function unmaskSecret(masked: string): string {
  const bytes = Buffer.from(masked, 'base64url')
  const half = bytes.length / 2
  return xor(bytes.subarray(half), bytes.subarray(0, half)).toString('base64url')
}

const xor = (bytes: Buffer, mask: Buffer): Buffer => Buffer.from(bytes.map((byte, index) => byte ^ (mask[index] ?? 0)))
