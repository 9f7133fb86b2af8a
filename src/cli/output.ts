import { once } from 'node:events'
import { styleText } from 'node:util'
import { clip, showHidden } from '../lib/plain-text.ts'
import { redactTokens } from '../lib/redact.ts'
import { ExitCode } from './errors.ts'
import { clearProgress } from './progress.ts'

/** Results go to stdout, as text or as one JSON value per line. */
export const print = (text: string): void => printPart(`${text}\n`)

/** Part of a result that is printed bit by bit, with its own line breaks. */
export const printPart = (text: string): void => {
  clearProgress()
  process.stdout.write(text)
}

/** Resolves when the reader has taken what was printed: what prints very much waits now and then. */
export async function drained(): Promise<void> {
  if (process.stdout.writableNeedDrain) await once(process.stdout, 'drain')
}

export const printJson = (value: unknown): void => print(JSON.stringify(value))

/** What a command did: as a result for programs, or as a message for people. */
export const printResult = (json: true | undefined, value: unknown, message: string): void =>
  json ? printJson(value) : printMessage(message)

/** Lines of a name and a value; the lines of a long text below each other. */
export function printFacts(facts: Record<string, string | number | null>): void {
  const width = Math.max(...Object.keys(facts).map((name) => name.length))
  for (const [name, value] of Object.entries(facts)) {
    const lines = typeof value === 'string' ? value.split(/\r\n|\n/) : [value]
    print(`${name.padEnd(width)}  ${lines.map(sanitize).join(`\n${' '.repeat(width + 2)}`)}`)
  }
}

/** Messages go to stderr. They may repeat what was typed, which may have been a key, or what a server sent, which may be anything. */
export const printMessage = (text: string): void => {
  clearProgress()
  const safe = redactTokens(text).split('\n').map(sanitize).join('\n')
  process.stderr.write(`${styledMessage(safe)}\n`)
}

let isJson = false

/** From now on, for a program that reads them; the schema is in docs/commands.md. */
export function printErrorsAsJson(wanted: boolean): void {
  isJson = wanted
}

export const areErrorsJson = (): boolean => isJson

const MAX_ERROR_CHARACTERS = 1000

/** One line. The message may repeat a value, and a value may be anything. */
export function printError(message: string, exitCode: number, more: object = {}): void {
  const line = clip(sanitize(message), MAX_ERROR_CHARACTERS)
  const code = exitCode === ExitCode.usage ? 'usage' : 'failed'
  printMessage(isJson ? JSON.stringify({ error: { message: redactTokens(line), code, ...more } }) : `vitrine: ${line}`)
}

/** Of warnings and errors the first words are coloured, on a terminal. */
export const styledMessage = (line: string): string =>
  line.replace(/^(?:vitrine: warning:|vitrine:|error:)/, (start) =>
    styleText(start.includes('warning') ? 'yellow' : 'red', start, { stream: process.stderr }),
  )

const verdicts = { ok: ['ok  ', 'green'], warning: ['warn', 'yellow'], failed: ['FAIL', 'red'] } as const
export type Verdict = keyof typeof verdicts

/** How a check went, in as many characters in every case. */
export function verdict(outcome: Verdict): string {
  const [word, colour] = verdicts[outcome]
  return styleText(colour, word, { stream: process.stdout })
}

export const heading = (text: string): string => styleText('bold', text, { stream: process.stdout })

/** A label may hold anything: characters that control the terminal or reverse its text must not reach it. */
export const sanitize = (value: string | number | null): string =>
  value === null ? '-' : showHidden(String(value)).replace(/[\p{Cc}\p{Zl}\p{Zp}]/gu, '\uFFFD')

let adviceIfLost: string | undefined

/** Prints what cannot be printed again; `advice` says what to do if it did not reach stdout. */
export function printSecret(text: string, advice: string): void {
  adviceIfLost = advice
  process.stdout.write(`${text}\n`, (error) => {
    if (!error) adviceIfLost = undefined
  })
}

/** Ends the program when its result cannot be written. */
export function handleOutputErrors(): void {
  // Without a reader for the messages, the work continues.
  process.stderr.on('error', () => {})
  process.stdout.on('error', ({ code }: NodeJS.ErrnoException) => {
    if (isOutputOptional) return
    // The reader has seen enough, as `head` does.
    if (adviceIfLost === undefined && code === 'EPIPE') process.exit()
    const failure = `the result could not be written to stdout (${code})`
    printError(adviceIfLost === undefined ? failure : `${failure}; ${adviceIfLost}`, ExitCode.failure)
    process.exit(ExitCode.failure)
  })
}

let isOutputOptional = false

/** For a server, which continues when its output is no longer read. */
export function ignoreOutputErrors(): void {
  isOutputOptional = true
}
