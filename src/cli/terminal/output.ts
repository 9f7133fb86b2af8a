import { once } from 'node:events'
import { clip, showHidden } from '../../lib/plain-text.ts'
import { redactTokens } from '../../lib/redact.ts'
import { shareConcurrent } from '../../lib/share-concurrent.ts'
import { ExitCode } from '../errors.ts'
import { clearProgress } from './progress.ts'

export const print = (text: string): void => {
  clearProgress()
  process.stdout.write(`${text}\n`)
}

const drain = shareConcurrent(() => once(process.stdout, 'drain'))

/** Waits until the reader catches up, so that memory stays bounded. All callers share one listener. */
export async function drained(): Promise<void> {
  if (process.stdout.writableNeedDrain) await drain()
}

/** Characters that control a terminal or reverse its text, and that JSON does not escape. */
const UNESCAPED = /[\x7F-\x9F\p{Bidi_Control}]/gu

export const toJson = (value: unknown, indent?: number): string =>
  JSON.stringify(value, null, indent).replace(
    UNESCAPED,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )

export const printJson = (value: unknown): void => print(toJson(value))

export const printResult = (value: unknown, message: string): void =>
  isJson() ? printJson(value) : printMessage(message)

/** Lists are shown as JSON. */
export type Printable = string | number | boolean | readonly string[] | null

export function printFacts(facts: Record<string, Printable>): void {
  const width = Math.max(...Object.keys(facts).map((name) => name.length))
  for (const [name, value] of Object.entries(facts)) {
    const lines = typeof value === 'string' ? value.split(/\r\n|\n/) : [value]
    print(`${name.padEnd(width)}  ${lines.map(sanitize).join(`\n${' '.repeat(width + 2)}`)}`)
  }
}

/** As bin/vitrine was called; it may not be on the PATH. */
export const program = process.env.VITRINE_PROGRAM || 'vitrine'

/** Messages quote commands as 'vitrine …', which are shown as they can be typed. */
export const asCalled = (text: string): string => text.replaceAll(/(?<=')vitrine (?=[a-z])/g, `${program} `)

/** The commands in a help text need no quotes. */
export const helpAsCalled = (text: string): string => text.replaceAll(/(?<![\w./-])vitrine (?=[a-z[])/g, `${program} `)

/** Messages may contain a key that the user typed, or control characters from a server. */
export const printMessage = (text: string): void => {
  clearProgress()
  process.stderr.write(`${redactTokens(asCalled(text)).split('\n').map(sanitize).join('\n')}\n`)
}

let isJsonWanted = false

export function useJson(wanted: boolean): void {
  isJsonWanted = wanted
}

/** Whether results and errors are printed as JSON. */
export const isJson = (): boolean => isJsonWanted

const MAX_ERROR_CHARACTERS = 1000

/** Prints one line, even if the message contains a value with line breaks. */
export function printError(message: string, exitCode: number, more: object = {}): void {
  const line = clip(sanitize(asCalled(message)), MAX_ERROR_CHARACTERS)
  const code = exitCode === ExitCode.usage ? 'usage' : 'failed'
  printMessage(
    isJson() ? JSON.stringify({ error: { message: redactTokens(line), code, ...more } }) : `vitrine: ${line}`,
  )
}

/** All have the same width. */
export const verdicts = { ok: 'ok  ', warning: 'warn', failed: 'FAIL' } as const

/** Labels may contain characters that control the terminal or reverse its text. */
export const sanitize = (value: Printable): string =>
  value === null
    ? '-'
    : showHidden(typeof value === 'object' ? JSON.stringify(value) : String(value)).replace(
        /[\p{Cc}\p{Zl}\p{Zp}]/gu,
        '\uFFFD',
      )

/** `advice` is printed if the secret, which cannot be printed again, does not reach stdout. */
export function printSecret(text: string, advice: string, end = '\n'): void {
  // Called before the stream's error handler.
  process.stdout.write(text + end, (error) => error && exitUnwritten(error, `; ${advice}`))
}

function exitUnwritten({ code }: NodeJS.ErrnoException, advice = ''): never {
  printError(`the result could not be written to stdout (${code})${advice}`, ExitCode.failure)
  process.exit(ExitCode.failure)
}

export function handleOutputErrors(): void {
  // The work continues if no one reads the messages.
  process.stderr.on('error', () => {})
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (isOutputOptional) return
    // A reader such as `head` has read enough.
    if (error.code === 'EPIPE') process.exit()
    exitUnwritten(error)
  })
}

let isOutputOptional = false

/** A server keeps running when its output is no longer read. */
export function ignoreOutputErrors(): void {
  isOutputOptional = true
}
