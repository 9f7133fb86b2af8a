import { parseEnv } from 'node:util'
import { readSmallFile } from '../lib/small-file.ts'
import { UsageError } from './errors.ts'
import { warnOfUnknown } from './misspelt-settings.ts'
import { ENV_FILE_OPTION } from './usage.ts'

/** Enough for every setting many times over; a larger file is another one. */
const MAX_BYTES = 65_536

/**
 * Takes `--env-file FILE` out of the words of the command line, wherever it stands, and adds what is in the file to the environment, so
 * that it is read like any other variable. What the environment has already stays, as with Node.js and containers.
 */
export function takeEnvFile(argv: readonly string[], environment: NodeJS.ProcessEnv = process.env): string[] {
  const { file, rest } = split(argv)
  if (file === undefined) return rest
  const variables = readEnvFile(file)
  for (const [name, value] of Object.entries(variables)) environment[name] ??= value
  warnOfUnknown(Object.keys(variables), file)
  return rest
}

function split(argv: readonly string[]): { file: string | undefined; rest: string[] } {
  const rest: string[] = []
  let file: string | undefined
  for (let i = 0; i < argv.length; i++) {
    const word = argv[i] ?? ''
    if (word === '--') return { file, rest: [...rest, ...argv.slice(i)] }
    if (word !== ENV_FILE_OPTION && !word.startsWith(`${ENV_FILE_OPTION}=`)) {
      rest.push(word)
      continue
    }
    if (file !== undefined) throw new UsageError(`${ENV_FILE_OPTION}: was given twice; give it once`)
    file = word === ENV_FILE_OPTION ? argv[++i] : word.slice(ENV_FILE_OPTION.length + 1)
    if (file === undefined || file === '') throw new UsageError(`${ENV_FILE_OPTION}: must name a file`)
  }
  return { file, rest }
}

export function readEnvFile(file: string): Record<string, string> {
  try {
    // A byte order mark is no part of the first name.
    const text = readSmallFile(file, { maxBytes: MAX_BYTES })
      .replace(/^\uFEFF/, '')
      .replaceAll('\r\n', '\n')
    checkLines(text, (line, fault) => {
      throw new Error(`${file}, line ${line}: ${fault}`)
    })
    return parseEnv(text) as Record<string, string>
  } catch (error) {
    throw new UsageError(`${ENV_FILE_OPTION}: ${(error as Error).message}`)
  }
}

const ASSIGNMENT = /^\s*(?:export\s+)?([A-Za-z_]\w*)[ \t]*=[ \t]*(.*)$/

/** What the parser would skip, or cut short, without a word. Faults do not repeat the line: it may hold a secret. */
function checkLines(text: string, refuse: (line: number, fault: string) => never): void {
  const lines = text.split('\n')
  const names = new Map<string, number>()
  for (let i = 0; i < lines.length; i++) {
    const line = lines[i] ?? ''
    const number = i + 1
    if (/[^\P{Cc}\t]/u.test(line)) refuse(number, 'must not have control characters')
    if (/^\s*(#|$)/.test(line)) continue
    const [, name, value = ''] = ASSIGNMENT.exec(line) ?? []
    if (name === undefined) refuse(number, 'must be NAME=value, a comment that begins with #, or blank')
    const before = names.get(name)
    if (before !== undefined) refuse(number, `${name} is on line ${before} already`)
    names.set(name, number)
    const quote = /^["'`]/.exec(value)?.[0]
    if (quote === undefined) {
      if (/\S#/.test(value)) refuse(number, `the value of ${name} has a #, which begins a comment; put it into quotes`)
      continue
    }
    const rest = [value.slice(1), ...lines.slice(i + 1)].join('\n')
    const end = rest.indexOf(quote)
    if (end === -1) refuse(number, `the quotes around the value of ${name} are not closed`)
    i += rest.slice(0, end).split('\n').length - 1
    if (!/^[ \t]*(#|\n|$)/.test(rest.slice(end + 1)))
      refuse(i + 1, `something follows the quotes around the value of ${name}`)
  }
}
