import { createHmac, hash, randomBytes, timingSafeEqual } from 'node:crypto'

/** 256 bits that nobody can guess, in letters that a URL, a cookie and a form carry as they are. */
export const makeSecret = (): string => randomBytes(32).toString('base64url')

export const isSecret = (text: string | undefined): text is string => /^[\w-]{43}$/.test(text ?? '')

/** What is stored of a secret. It has 256 bits of randomness, so a fast hash is as good as a slow one. */
export const hashSecret = (secret: string): string => hash('sha256', secret)

/** What forms send back: it can be made from the cookie's secret, and tells nothing of it. */
export const csrfOf = (secret: string): string => createHmac('sha256', secret).update('csrf').digest('base64url')

export function isSame(a: string, b: string): boolean {
  const [one, other] = [Buffer.from(a), Buffer.from(b)]
  return one.length === other.length && timingSafeEqual(one, other)
}
