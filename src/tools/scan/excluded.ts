import { existsSync } from 'node:fs'
import { readSmallFile } from '../../lib/small-file.ts'
import { InvalidValueError } from '../../lib/user-error.ts'

export const IGNORE_FILE = '.vitrineignore'
const MAX_BYTES = 64 * 1024

/** A folder's path ends with a slash. */
export type IsExcluded = (path: string) => boolean

/**
 * A pattern with a slash before its end is anchored; any other matches in every folder. A matching folder excludes everything below
 * it. `*` and `?` match within a name, `**` across folders. All other characters are literal, even brackets.
 */
export function excludedBy(patterns: readonly string[]): IsExcluded | undefined {
  if (patterns.length === 0) return undefined
  const anyOf = new RegExp(`^(?:${patterns.map(regexOf).join('|')})`)
  return (path) => anyOf.test(path)
}

/** Read only from the current folder: a scanned folder must not be able to exclude its own files. */
export function patternsIn(file: string): string[] {
  if (!existsSync(file)) return []
  const lines = readSmallFile(file, { maxBytes: MAX_BYTES, isRegular: true }).split('\n')
  return lines.map((line) => line.trim()).filter((line) => line !== '' && !line.startsWith('#'))
}

function regexOf(pattern: string): string {
  if (pattern.startsWith('!'))
    throw new InvalidValueError(`${pattern}: a pattern cannot re-include what another one excludes`)
  const name = pattern.replace(/^\//, '').replace(/\/$/, '')
  if (name === '') throw new InvalidValueError(`${JSON.stringify(pattern)}: a pattern must not be empty`)
  const isAnchored = pattern.startsWith('/') || name.includes('/')
  const body = name.replaceAll(/\*\*\/|\*\*|[*?]|[\\^$.+()[\]{}|]/g, (part) => globs[part] ?? `\\${part}`)
  return `${isAnchored ? '' : '(?:.*/)?'}${body}${pattern.endsWith('/') ? '/' : '(?:/|$)'}`
}

const globs: Record<string, string> = { '**/': '(?:.*/)?', '**': '.*', '*': '[^/]*', '?': '[^/]' }
