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

/** Differs each time, because a repeated secret can be guessed from the size of a compressed page (BREACH). */
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
