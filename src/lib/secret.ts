import { hash, randomBytes, timingSafeEqual } from 'node:crypto'

/** 256 random bits, in characters that URLs, cookies and forms carry unchanged. */
export const createSecret = (): string => randomBytes(32).toString('base64url')

export const isSecret = (text: string | undefined): text is string => /^[\w-]{43}$/.test(text ?? '')

/** Secrets have 256 random bits, so a fast hash is as good as a slow one. */
export const hashSecret = (secret: string): string => hash('sha256', secret)

/** In constant time. */
export function isSameSecret(a: string, b: string): boolean {
  const [one, other] = [Buffer.from(a), Buffer.from(b)]
  return one.length === other.length && timingSafeEqual(one, other)
}
