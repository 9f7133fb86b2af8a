import { existsSync } from 'node:fs'
import { readSmallFile } from './small-file.ts'

/** Longer than any URL, token or header in use; servers refuse headers of more than 8 or 16 KiB. */
const MAX_BYTES = 8192

/**
 * Reads a secret from a file that holds it on one line, whose end does not count. Throws what is wrong with the file, without what
 * is in it. One that everybody may read is usual: that is how containers are given their secrets.
 */
export function readSecretFile(path: string): string {
  const text = readNamedFile(path).trim()
  if (text === '') throw new Error(`${path} is empty`)
  if (/\p{Cc}/u.test(text)) throw new Error(`${path} must hold the value alone, on one line`)
  return text
}

/**
 * The secret as the file holds it by now, if one does. While the file cannot be used, as in the middle of a rotation, the
 * known value is: if it is no longer right, the other side refuses it.
 */
export function currentSecret(known: string, file: string | undefined): string {
  if (file === undefined) return known
  try {
    return readSecretFile(file)
  } catch {
    return known
  }
}

/** What certainly is a path. Anything else may be the secret itself, set in the wrong place. */
const PATH = /^\.{0,2}\//

function readNamedFile(path: string): string {
  try {
    return readSmallFile(path, { maxBytes: MAX_BYTES, isRegular: true })
  } catch (error) {
    if (PATH.test(path) || existsSync(path)) throw error
    throw new Error('must be the path of a file that holds the value, not the value itself; there is no such file')
  }
}
