import { hash, randomBytes } from 'node:crypto'
import { crc32 } from 'node:zlib'

/** A key: `vtr_`, 32 random bytes as 43 base62 digits, and a CRC-32 as 6 more, which rejects garbage without a lookup. */
export const TOKEN_START = 'vtr_'
const TOKEN_LENGTH = 53
const CHECKSUM_LENGTH = 6
const DISPLAYED_LENGTH = 10
const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

/** Matches `vtr_` and as many digits as the quantifier allows. */
export const tokenPattern = (quantifier: string, flags = ''): RegExp =>
  new RegExp(`${TOKEN_START}[0-9A-Za-z]${quantifier}`, flags)

export const ALL_DIGITS = `{${TOKEN_LENGTH - TOKEN_START.length}}`
/** More of a key than pages and logs display. */
export const SECRET_DIGITS = `{${DISPLAYED_LENGTH - TOKEN_START.length + 1},}`
const SHAPE = tokenPattern(ALL_DIGITS)

export const createToken = (): string => toToken(randomBytes(32))

/** Expects 32 bytes. */
export function toToken(bytes: Buffer): string {
  const secret = `${TOKEN_START}${base62(bytes)}`
  return secret + checksumOf(secret)
}

export function isToken(text: string): boolean {
  return text.length === TOKEN_LENGTH && SHAPE.test(text) && text.endsWith(checksumOf(text.slice(0, -CHECKSUM_LENGTH)))
}

/** Keys have 256 random bits, so a fast hash is as good as a slow one. */
export const hashToken = (token: string): string => hash('sha256', token)

export const displayToken = (token: string): string => token.slice(0, DISPLAYED_LENGTH)

const DISPLAYED = tokenPattern(`{${DISPLAYED_LENGTH - TOKEN_START.length}}`)

/** What pages display of the first key in a text, even if the key is in quotes, cut or extended. */
export const displayedIn = (text: string): string | undefined => DISPLAYED.exec(text)?.[0]

function checksumOf(secret: string): string {
  let digits = ''
  for (let rest = crc32(secret); digits.length < CHECKSUM_LENGTH; rest = Math.floor(rest / 62))
    digits = DIGITS.charAt(rest % 62) + digits
  return digits
}

/** 62 to the power of 43 is just over 2 to the power of 256. */
function base62(bytes: Buffer): string {
  let digits = ''
  for (let rest = BigInt(`0x${bytes.toString('hex')}`); digits.length < 43; rest /= 62n)
    digits = DIGITS.charAt(Number(rest % 62n)) + digits
  return digits
}
