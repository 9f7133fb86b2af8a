import { parseEnv } from 'node:util'
import { readSmallFile } from '../lib/small-file.ts'
import { UsageError } from './errors.ts'
import { warnOfUnknown } from './misspelt-settings.ts'

/** All settings fit into this many times over. */
const MAX_BYTES = 65_536

/** Matches a blank line, a comment or an assignment. A comment after an unquoted value needs a space before it. */
const LINE =
  /^[ \t]*(?:#.*|(?:export[ \t]+)?(?<name>[A-Za-z_]\w*)[ \t]*=[ \t]*(?:(["'`])(?:(?!\2).)*\2[ \t]*(?:#.*)?|(?!["'`])[^#]*?(?:[ \t]#.*)?))?$/

const FORM = 'must be NAME=value, a comment that begins with #, or blank; a value with a # or quotes stands in quotes'

/** Variables that are set already win over the file, as with Node.js and containers. */
export function applyEnvFile(file: string, environment: NodeJS.ProcessEnv = process.env): void {
  const variables = readEnvFile(file)
  for (const [name, value] of Object.entries(variables)) environment[name] ??= value
  warnOfUnknown(Object.keys(variables), file)
}

export function readEnvFile(file: string): Record<string, string> {
  try {
    // A byte order mark would become part of the first name.
    const text = readSmallFile(file, { maxBytes: MAX_BYTES })
      .replace(/^\uFEFF/, '')
      .replaceAll('\r\n', '\n')
    checkLines(file, text.split('\n'))
    return parseEnv(text) as Record<string, string>
  } catch (error) {
    throw new UsageError(`--env-file: ${(error as Error).message}`)
  }
}

/** Node.js silently skips faulty lines. Errors do not repeat the line, which may hold a secret. */
function checkLines(file: string, lines: readonly string[]): void {
  const names = new Set<string>()
  for (const [index, line] of lines.entries()) {
    const place = `${file}, line ${index + 1}`
    const match = /[^\P{Cc}\t]/u.test(line) ? null : LINE.exec(line)
    if (match === null) throw new Error(`${place}: ${FORM}`)
    const name = match.groups?.name ?? ''
    if (names.has(name)) throw new Error(`${place}: ${name} is in the file already`)
    if (name !== '') names.add(name)
  }
}
