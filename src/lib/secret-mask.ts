import { randomBytes } from 'node:crypto'

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
