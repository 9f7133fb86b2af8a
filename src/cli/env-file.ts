import { readSmallFile } from '../lib/small-file.ts'
import { prefixingErrors } from '../lib/user-error.ts'
import { UsageError } from './errors.ts'

/** Many times the size of all settings together. */
const MAX_BYTES = 65_536

/** Matches a blank line, a comment or an assignment. A comment after an unquoted value needs a space before it. */
const LINE =
  /^[ \t]*(?:#.*|(?:export[ \t]+)?(?<name>[A-Za-z_]\w*)[ \t]*=(?:[ \t]*(?<quote>["'`])(?<quoted>(?:(?!\k<quote>).)*)\k<quote>[ \t]*(?:#.*)?|(?![ \t]*["'`])(?<plain>[^#]*?)(?:[ \t]#.*)?))?$/

const SYNTAX =
  'must be NAME=value, a comment that begins with #, or blank; a value that contains # or quotes must be quoted'

/** Returns the names in the file. Environment variables take precedence over the file, as in Node.js and containers. */
export function applyEnvFile(file: string, environment: NodeJS.ProcessEnv = process.env): string[] {
  const variables = readEnvFile(file)
  for (const [name, value] of Object.entries(variables)) environment[name] ??= value
  return Object.keys(variables)
}

export const readEnvFile = (file: string): Record<string, string> =>
  prefixingErrors('--env-file: ', () => variablesIn(file), UsageError)

/** Node.js silently skips malformed lines, and reads others wrongly. Errors do not quote the line, which may contain a secret. */
function variablesIn(file: string): Record<string, string> {
  const lines = readSmallFile(file, { maxBytes: MAX_BYTES }).split(/\r?\n/)
  const variables = new Map<string, string>()
  for (const [index, line] of lines.entries()) {
    const place = `${file}, line ${index + 1}`
    const match = /[^\P{Cc}\t]/u.test(line) ? null : LINE.exec(line)
    if (match === null) throw new Error(`${place}: ${SYNTAX}`)
    const { name = '', quote, quoted = '', plain = '' } = match.groups ?? {}
    if (variables.has(name)) throw new Error(`${place}: ${name} is already in the file`)
    if (name !== '') variables.set(name, quote === '"' ? quoted.replaceAll('\\n', '\n') : quoted || plain.trim())
  }
  return Object.fromEntries(variables)
}
