import { randomBytes } from 'node:crypto'

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
