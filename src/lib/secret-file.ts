import { existsSync } from 'node:fs'
import { readSmallFile } from './small-file.ts'

/** Longer than any real URL, token or header: servers reject headers of more than 8 or 16 KiB. */
const MAX_BYTES = 8192

/** Reads one line, which errors never show. World-readable files are fine: containers get their secrets that way. */
export function readSecretFile(path: string): string {
  const text = readNamedFile(path).trim()
  if (text === '') throw new Error(`${path} is empty`)
  if (/\p{Cc}/u.test(text)) throw new Error(`${path} must contain only the value, on one line`)
  return text
}

/** Falls back to the known value while the file cannot be read, for example during a rotation. */
export function currentSecret(known: string, file: string | undefined): string {
  if (file === undefined) return known
  try {
    return readSecretFile(file)
  } catch {
    return known
  }
}

/** Definitely a path. Anything else may be the secret itself, in the wrong setting. */
const PATH = /^\.{0,2}\//

function readNamedFile(path: string): string {
  try {
    return readSmallFile(path, { maxBytes: MAX_BYTES, isRegular: true })
  } catch (error) {
    if (PATH.test(path) || existsSync(path)) throw error
    throw new Error('must be the path of a file that contains the value, not the value itself; there is no such file')
  }
}
