import { readSmallFile } from './small-file.ts'

/** Longer than any URL, token or header in use; servers refuse headers of more than 8 or 16 KiB. */
const MAX_BYTES = 8192

/**
 * Reads a secret from a file that holds it on one line, whose end does not count. Throws what is wrong with the file, without what
 * is in it. One that everybody may read is usual: that is how containers are given their secrets.
 */
export function readSecretFile(path: string): string {
  const text = readSmallFile(path, { maxBytes: MAX_BYTES, isRegular: true }).trim()
  if (text === '') throw new Error(`${path} is empty`)
  if (/\p{Cc}/u.test(text)) throw new Error(`${path} must hold the value alone, on one line`)
  return text
}
